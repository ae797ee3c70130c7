"""Checkpoints of many long requests stay within their bytes, however many are taken.

A cap by number would let them grow with the size of the state. It knows nothing about what the
checkpoints are for.
"""

from __future__ import annotations

from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.checkpoints import Checkpoints
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.report import Unit

REQUESTS, EACH, ROOM = 3, 8, 5


async def run(scene: Scene) -> None:
    """Take far more checkpoints than there is room for, of requests of one and of two slots."""
    cap = ROOM * scene.packed_bytes
    with scene.station(REQUESTS + 1) as s:
        pinned = s.device.pinned_bytes
        kept = Checkpoints(s.manager, cap)
        handles = [await s.manager.allocate(s.spec(n, slots=1 + (n == 0))) for n in range(REQUESTS)]
        highest = taken = 0
        for _ in range(EACH):
            for handle in handles:
                s.feed(handle, 2)
                await kept.save(handle, len(s.history(handle.request_id())))
                taken += 1
                highest = max(highest, kept.used_bytes)
                grown = s.device.pinned_bytes - pinned
                scene.expect(grown <= cap, f"checkpoints hold {grown} of {cap} bytes")
        scene.expect(0 < highest <= cap, f"{highest} bytes were in use of {cap}")
        last = handles[-1]
        newest = len(s.history(last.request_id()))
        scene.expect(newest in kept.positions(last), "the newest checkpoint is not there")
        scene.expect_right(s)
        none = Checkpoints(s.manager, 0)
        refused = none.save(handles[0], 0)
        await scene.expect_refused(refused, ResourceExhausted, "a checkpoint in no bytes")
        for handle in handles:
            await s.manager.deallocate(handle.request_id())
        scene.expect(kept.used_bytes == 0, "checkpoints outlive their requests")
        kept.close()
        scene.row("checkpoints taken", taken, Unit.COUNT)
        scene.row("cap", cap, Unit.BYTES)
        scene.row("in use at most", highest, Unit.BYTES)
