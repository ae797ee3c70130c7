"""A request id that is in use is refused without touching its state, and can be used again later.

It knows nothing about who sends an id twice.
"""

from __future__ import annotations

from ferrum_cli.errors import AlreadyExists
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.report import Unit

ROUNDS = 8


async def run(scene: Scene) -> None:
    """Ask for the same id while it is live, while it is swapped, and after it was freed."""
    with scene.station(3, eviction="lru", resume="snapshot") as s:
        refusals = 0
        for _ in range(ROUNDS):
            handle = await s.manager.allocate(s.spec(0))
            scene.expect_zero(handle)
            s.feed(handle, 5)
            for swapped in (False, True):
                if swapped:
                    await s.manager.evict(s.request(0))
                before = picture(s.manager)
                for slots in (1, 2, 9):
                    again = s.spec(0, slots=slots)
                    scene.expect(not s.manager.can_allocate(again), "can_allocate is true")
                    where = "while it is swapped" if swapped else "while it is live"
                    await scene.expect_refused(
                        s.manager.allocate(again), AlreadyExists, f"the same id {where}"
                    )
                    refusals += 1
                scene.expect(picture(s.manager) == before, "I10: a refused duplicate left traces")
                scene.expect_right(s)
            scene.expect_right(s, [await s.manager.resume(s.request(0))])
            await s.manager.deallocate(s.request(0))
            s.tokens.clear()
        failures = s.manager.stats().allocation_failures
        scene.expect(failures == refusals, f"{failures} failures counted for {refusals} refusals")
        scene.row("duplicates refused", refusals, Unit.COUNT)
