"""A client aborts in the middle and retries with the same id: it never gets an unwritten state.

What was published before its bytes were there would be served to the retry. It knows nothing about
prefixes: a checkpoint stands for whatever is published of a state.
"""

from __future__ import annotations

import asyncio

from ferrum_cli.errors import FerrumError, RollbackRefused
from ferrum_cli.live.checkpoints import Checkpoints
from ferrum_cli.live.device import Stream
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.report import Unit

ROUNDS = 6


async def run(scene: Scene) -> None:
    """Abort while the state is published, while it is evicted, and while it is resumed."""
    aborted = 0
    with scene.station(2, eviction="lru", resume="snapshot") as s:
        kept = Checkpoints(s.manager, 4 * scene.packed_bytes)
        for _ in range(ROUNDS):
            for abort in (_while_published, _while_evicted, _while_resumed):
                handle = await s.manager.allocate(s.spec(0))
                s.feed(handle, 6)
                await abort(scene, s, kept)
                await _retry(scene, s, kept)
                aborted += 1
        kept.close()
    scene.row("aborted and retried", aborted, Unit.COUNT)


async def _while_published(scene: Scene, s: Station, kept: Checkpoints) -> None:
    handle = s.manager.get_handle(s.request(0))
    assert handle is not None  # noqa: S101
    publishing = asyncio.ensure_future(kept.save(handle, 6))
    await asyncio.sleep(0)
    offered = kept.positions(handle)
    landed = s.device.done(s.device.record(Stream.COPIES))
    scene.expect(landed or not offered, "a checkpoint is offered before its bytes are there")
    await s.manager.deallocate(s.request(0))
    await asyncio.gather(publishing, return_exceptions=True)
    scene.expect(not kept.positions(handle), "an aborted request's checkpoint is offered")


async def _while_evicted(scene: Scene, s: Station, kept: Checkpoints) -> None:
    del scene, kept
    evicting = asyncio.ensure_future(s.manager.evict(s.request(0)))
    await asyncio.sleep(0)
    await s.manager.deallocate(s.request(0))
    await asyncio.gather(evicting, return_exceptions=True)


async def _while_resumed(scene: Scene, s: Station, kept: Checkpoints) -> None:
    del kept
    await s.manager.evict(s.request(0))
    resuming = asyncio.ensure_future(s.manager.resume(s.request(0)))
    await asyncio.sleep(0)
    await s.manager.deallocate(s.request(0))
    [outcome] = await asyncio.gather(resuming, return_exceptions=True)
    scene.expect(isinstance(outcome, FerrumError), "an aborted request was resumed")


async def _retry(scene: Scene, s: Station, kept: Checkpoints) -> None:
    """The same id again: a miss, a state of zeros, and then its own tokens only."""
    s.tokens.clear()
    scene.expect(not s.manager.is_swapped(s.request(0)), "an aborted request can be resumed")
    handle = await s.manager.allocate(s.spec(0))
    scene.expect_zero(handle)
    await scene.expect_refused(
        kept.rollback(handle, 6), RollbackRefused, "a checkpoint of the aborted attempt"
    )
    s.feed(handle, 6)
    scene.expect_right(s, [handle])
    await s.manager.deallocate(s.request(0))
    s.tokens.clear()
    scene.audit(s)
