"""Blocking work beside the event loop, never dropped: whoever is cancelled waits for its end.

A thread cannot be cancelled. Were its awaiter to leave, it would finish later with a result, a
file or a lock that belongs to nobody. It knows nothing about what the work is.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[threading.Event], T]) -> T:
    """Run `work` in a thread. Being cancelled sets the event, at which it should soon stop.

    The cancellation goes on once the thread has ended, whatever its result.
    """
    stop = threading.Event()
    task = asyncio.ensure_future(asyncio.to_thread(work, stop))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        while not task.done():
            # A second cancellation is no reason to leave the thread alone either.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        raise
