"""Ten thousand cycles of allocation and release leave not one byte behind.

It knows nothing about where a leak would be: it compares before and after.
"""

from __future__ import annotations

import gc
import weakref

from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.report import Unit

SLOTS, SWAPS = 4, 50
WATCHED = 100
FEW_OBJECTS = 50
"""The interpreter itself makes some."""


async def run(scene: Scene) -> None:
    """Allocate and release in cycles, some with an eviction in between."""
    with scene.station(SLOTS, eviction="lru", resume="snapshot") as s:
        await _cycle(s, 0, swap=True)
        before, objects = s.device.stats(), _objects()
        watched = []
        cycles = scene.stage.cycles
        for number in range(1, cycles + 1):
            swap = number % max(1, cycles // SWAPS) == 0
            handle = await _cycle(s, number, swap=swap)
            if number <= WATCHED:
                watched.append(handle)
        after = s.device.stats()
        scene.row("cycles", cycles, Unit.COUNT)
        scene.row("swaps", SWAPS, Unit.COUNT)
        for what, then, now in (
            ("requested", before.requested_bytes, after.requested_bytes),
            ("allocated", before.allocated_bytes, after.allocated_bytes),
            ("reserved", before.reserved_bytes, after.reserved_bytes),
        ):
            if then is not None and now is not None:
                scene.row(f"difference in {what}", now - then, Unit.BYTES)
                scene.expect(now == then, f"{what} bytes: {now - then} leaked")
        alive = sum(reference() is not None for reference in watched)
        scene.expect(alive == 0, f"{alive} of {len(watched)} handles are still alive")
        watched.clear()
        grown = _objects() - objects
        scene.row("objects more", grown, Unit.COUNT)
        scene.expect(grown < FEW_OBJECTS, f"{grown} objects were left by {cycles} cycles")


async def _cycle(s: Station, number: int, *, swap: bool) -> weakref.ref[object]:
    handle = await s.manager.allocate(s.spec(number))
    if swap:
        await s.manager.evict(s.request(number))
        handle = await s.manager.resume(s.request(number))
    await s.manager.deallocate(s.request(number))
    return weakref.ref(handle)


def _objects() -> int:
    gc.collect()
    return len(gc.get_objects())
