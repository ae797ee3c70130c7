"""Cancelling a coroutine at its n-th wait, as a task would be cancelled there.

It knows nothing about what the coroutine does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any


class _CancelledAt:
    """Awaits `work`, and cancels the current task when it waits for the n-th time."""

    def __init__(self, work: Coroutine[Any, Any, object], nth: int) -> None:
        self._work = work
        self._nth = nth
        self.waits = 0

    def __await__(self) -> Generator[Any, None, object]:
        inner = self._work.__await__()
        step = partial(next, inner)
        while True:
            try:
                waiting = step()
            except StopIteration as end:
                return end.value
            self.waits += 1
            if self.waits == self._nth and (task := asyncio.current_task()) is not None:
                task.cancel()
            try:
                yield waiting
            except BaseException as error:  # noqa: BLE001 - it belongs to the work
                step = partial(inner.throw, error)
            else:
                step = partial(next, inner)


async def cancelled_at(work: Coroutine[Any, Any, object], nth: int) -> bool:
    """Run `work`, cancelled at its n-th wait, from 1; whether it was, or had ended before that."""

    async def alone() -> object:
        return await _CancelledAt(work, nth)

    task = asyncio.ensure_future(alone())
    try:
        await task
    except asyncio.CancelledError:
        if (caller := asyncio.current_task()) is not None and caller.cancelling():
            # The drill itself was cancelled, by an interrupt or its time limit.
            raise
        return True
    return False
