"""Draft tokens that are rejected leave no trace: the state is that of N tokens, never of N + K.

Going back further than the checkpoints is refused, and so is going back after a resumption, which
carries none. It knows nothing about who drafts.
"""

from __future__ import annotations

from ferrum_cli.errors import RollbackRefused
from ferrum_cli.live.checkpoints import Checkpoints
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.manager import StateHandle
from ferrum_cli.report import Unit

ROUNDS, KEPT, DRAFT = 12, 3, 4
REJECTED_SHARE = 0.6


async def run(scene: Scene) -> None:
    """Accept some drafts and reject others, with a neighbour whose state must not be touched."""
    with scene.station(2, eviction="lru", resume="snapshot") as s:
        kept = Checkpoints(s.manager, KEPT * scene.packed_bytes)
        handle = await s.manager.allocate(s.spec(0))
        neighbour = await s.manager.allocate(s.spec(1))
        s.feed(neighbour, 9)
        rejected = 0
        for _ in range(ROUNDS):
            s.feed(handle, 1)
            position = len(s.tokens[s.request(0).uuid])
            await kept.save(handle, position)
            s.feed(handle, DRAFT)
            if scene.rng.random() < REJECTED_SHARE:
                await _reject(scene, s, kept, handle, position)
                rejected += 1
            scene.expect_right(s, [handle, neighbour])
        await _too_deep(scene, s, kept, handle)
        await _after_resumption(scene, s, kept)
        scene.expect_right(s)
        kept.close()
        scene.row("drafts rejected", rejected, Unit.COUNT)
        scene.row("checkpoints kept", KEPT, Unit.COUNT)


async def _reject(
    scene: Scene, s: Station, kept: Checkpoints, handle: StateHandle, position: int
) -> None:
    """Back to N, whichever of the draft tokens was the first wrong one."""
    wanted = position + scene.rng.randrange(DRAFT)
    reached = await kept.rollback(handle, wanted)
    scene.expect(reached == position, f"rolled back to {reached}, not to {position}")
    del s.tokens[s.request(0).uuid][reached:]


async def _too_deep(scene: Scene, s: Station, kept: Checkpoints, handle: StateHandle) -> None:
    first = kept.positions(handle)[0]
    await scene.expect_refused(
        kept.rollback(handle, first - 1), RollbackRefused, "deeper than the checkpoints"
    )
    scene.expect_right(s, [handle])


async def _after_resumption(scene: Scene, s: Station, kept: Checkpoints) -> None:
    await s.manager.evict(s.request(0))
    back = await s.manager.resume(s.request(0))
    scene.expect(not kept.positions(back), "a resumed state offers checkpoints it does not have")
    await scene.expect_refused(
        kept.rollback(back, 10**6), RollbackRefused, "back beyond a resumption"
    )
    scene.expect_right(s, [back])
