"""An admission that fails gives back every slot that it had taken, and whoever waits is served.

A request that needs several slots gets all of them at once or none. It knows nothing about why the
slots are short.
"""

from __future__ import annotations

import asyncio

from ferrum_cli.errors import CopyFailed, OutOfMemory, ResourceExhausted
from ferrum_cli.live.adaptors import Fault
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.report import Unit

SLOTS = 6


async def run(scene: Scene) -> None:
    """Short of slots, of memory, and of luck with a copy; then with a line of waiters."""
    await _short_of_slots(scene)
    await _short_of_memory(scene)
    await _failing_copies(scene)
    await _waiting(scene)


async def _short_of_slots(scene: Scene) -> None:
    with scene.station(SLOTS) as s:
        for number in range(SLOTS - 2):
            s.feed(await s.manager.allocate(s.spec(number)), 3)
        before = picture(s.manager)
        for slots in range(3, SLOTS + 3):
            spec = s.spec(50, slots=slots)
            scene.expect(not s.manager.can_allocate(spec), "can_allocate is true")
            await scene.expect_refused(
                s.manager.allocate(spec), ResourceExhausted, f"{slots} slots where 2 are free"
            )
        scene.expect(picture(s.manager) == before, "I10: a refused admission kept slots")
        await s.manager.allocate(s.spec(50, slots=2))
        scene.expect_right(s)
        scene.row("refused for slots", SLOTS, Unit.COUNT)


async def _short_of_memory(scene: Scene) -> None:
    """Memory runs out at the n-th tensor of a request of two slots."""
    with scene.station(2, layout="per-tensor") as s:
        before, nth = picture(s.manager), 1
        while True:
            s.failing.arm(Fault("allocate", nth))
            try:
                await s.manager.allocate(s.spec(0, slots=2))
            except OutOfMemory as error:
                scene.expect(str(s.request(0)) in str(error), "the error names no request")
                scene.expect(picture(s.manager) == before, "I10: slots were kept")
                scene.expect(not s.device.live, "memory of a failed admission was kept")
                nth += 1
                continue
            break
        s.failing.arm(None)
        scene.row("refused for memory", nth - 1, Unit.COUNT)


async def _failing_copies(scene: Scene) -> None:
    """The n-th copy of a snapshot fails while room is made."""
    with scene.station(2, layout="layer-major", eviction="lru", resume="snapshot") as s:
        for number in range(2):
            s.feed(await s.manager.allocate(s.spec(number)), 3)
        before, nth = picture(s.manager), 1
        while True:
            s.failing.arm(Fault("copy", nth, CopyFailed))
            try:
                await s.manager.allocate(s.spec(9, slots=2))
            except CopyFailed:
                scene.expect(picture(s.manager) == before, "I10: a failed copy left traces")
                scene.expect_right(s)
                nth += 1
                continue
            break
        s.failing.arm(None)
        for number in range(2):
            scene.expect_right(s, [await s.manager.resume(s.request(number))])
        scene.row("refused for copies", nth - 1, Unit.COUNT)


async def _waiting(scene: Scene) -> None:
    """Those who wait are served in their order, and what can never fit does not wait at all."""
    with scene.station(2) as s:
        await scene.expect_refused(
            s.manager.acquire(s.spec(99, slots=3)), ResourceExhausted, "waiting for the impossible"
        )
        await s.manager.allocate(s.spec(0, slots=2))
        served: list[int] = []

        async def wait(number: int) -> None:
            await s.manager.acquire(s.spec(number, slots=1 + number % 2))
            served.append(number)
            await s.manager.deallocate(s.request(number))

        tasks = [asyncio.ensure_future(wait(number)) for number in range(1, 9)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        await s.manager.deallocate(s.request(0))
        await asyncio.gather(*tasks, return_exceptions=True)
        scene.expect(served == [1, 2, 4, 5, 6, 7, 8], f"served in the order {served}")
        scene.row("served in their order", len(served), Unit.COUNT)
