"""Stations for tests: a manager on a simulated device unless told otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ferrum_cli.live.device import DeviceMemory
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.drills._station import Setup, Station
from ferrum_cli.live.layout import Storage
from ferrum_cli.live.recurrences.exact import Exact
from tests.live.specs import CONV_AND_DELTA, Tensors

T = TypeVar("T")


def exact_of(storage: Storage) -> Exact:
    """The exact recurrence for a storage."""
    return Exact(storage.layout)


def station(
    slots: int = 4,
    tensors: Tensors = CONV_AND_DELTA,
    make_device: Callable[[], DeviceMemory] = SimulatedDevice,
    **setup: Any,
) -> Station:
    """A station with this many slots."""
    return Station(
        Setup(
            make_device=make_device,
            recurrence_of=exact_of,
            tensors=tensors,
            slots=slots,
            **setup,
        )
    )


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; a pending task at its end would be a leak."""

    async def alone() -> T:
        result = await work
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not others, f"tasks left behind: {others}"
        return result

    return asyncio.run(alone())


def evicting(slots: int = 4, resume: str = "snapshot", **setup: Any) -> Station:
    """A station that evicts by last use."""
    return station(slots, eviction="lru", resume=resume, **setup)
