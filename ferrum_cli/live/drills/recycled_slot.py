"""A slot is zero when its next tenant gets it, whichever way the last one left.

It knows nothing about how slots are zeroed.
"""

from __future__ import annotations

from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.report import Unit

ROUNDS = 4


async def run(scene: Scene) -> None:
    """Leave by deallocation, by eviction, by reset, and by an eviction that makes room."""
    for layout in ("arena", "layer-major", "per-tensor"):
        tenants = 0
        with scene.station(2, layout=layout, eviction="lru", resume="snapshot") as s:
            for turn in range(ROUNDS):
                number = 10 * turn
                await _move_in(scene, s, number)
                await s.manager.deallocate(s.request(number))
                await _move_in(scene, s, number + 1)
                await s.manager.evict(s.request(number + 1))
                await _move_in(scene, s, number + 2, slots=2)
                await _move_in(scene, s, number + 3)
                await _move_in(scene, s, number + 4)
                await s.manager.reset()
                tenants += 5
        scene.row(f"{layout}: tenants", tenants, Unit.COUNT)


async def _move_in(scene: Scene, s: Station, number: int, slots: int = 1) -> None:
    handle = await s.manager.allocate(s.spec(number, slots=slots))
    scene.expect_zero(handle)
    s.feed(handle, 3)
    scene.expect_right(s, [handle])
