"""The device is lost at every call in turn: everything fails at once, and a reset still ends.

It knows nothing about devices that come back: none does.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from ferrum_cli.errors import DeviceLost, FerrumError
from ferrum_cli.live.adaptors.failing import lost_at
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.report import Unit

LAYOUTS = ("arena", "per-tensor")


async def run(scene: Scene) -> None:
    """Lose it at the n-th call of a script, for every n, until the script ends whole."""
    for layout in LAYOUTS:
        nth = 0
        while True:
            nth += 1
            with scene.station(2, layout=layout, eviction="lru", resume="snapshot") as s:
                s.failing.arm(lost_at(nth))
                try:
                    await _script(s)
                except DeviceLost as error:
                    scene.expect(error.exit_code == 4, f"exit code {error.exit_code}")  # noqa: PLR2004
                    await _after_the_loss(scene, s)
                    continue
                break
        scene.row(f"{layout}: calls", nth - 1, Unit.COUNT)


async def _script(s: Station) -> None:
    """Allocate, evict, make room, resume and release."""
    for number in range(2):
        await s.manager.allocate(s.spec(number))
    await s.manager.evict(s.request(0))
    await s.manager.allocate(s.spec(2))
    await s.manager.allocate(s.spec(3))
    await s.manager.deallocate(s.request(2))
    await s.manager.resume(s.request(0))
    for number in (0, 3):
        await s.manager.deallocate(s.request(number))
    if s.manager.books.lost is not None:
        raise s.manager.books.lost


async def _after_the_loss(scene: Scene, s: Station) -> None:
    calls = s.failing.calls["any"]
    spec = s.spec(50)
    works: dict[str, Coroutine[Any, Any, object]] = {
        "allocate": s.manager.allocate(spec),
        "acquire": s.manager.acquire(spec),
        "deallocate": s.manager.deallocate(s.request(0)),
        "evict": s.manager.evict(s.request(0)),
        "resume": s.manager.resume(s.request(0)),
    }
    for what, work in works.items():
        await scene.expect_refused(work, DeviceLost, f"{what} after the loss")
    scene.expect(not s.manager.can_allocate(spec), "can_allocate is true on a lost device")
    scene.expect(s.failing.calls["any"] == calls, "a lost device was asked again")
    try:
        await s.manager.reset()
    except FerrumError as error:
        scene.expect(holds=False, what=f"reset failed: {error}")
    scene.expect(s.manager.stats().active_states == 0, "a state survived the reset")
    scene.audit(s)
