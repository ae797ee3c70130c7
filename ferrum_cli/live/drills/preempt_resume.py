"""A request that was preempted goes on as if it had not been, by snapshot and by recomputation.

It is interrupted at every wait on the way out and back. It knows nothing about other requests but
that one takes the slot in between.
"""

from __future__ import annotations

from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._cancelling import cancelled_at
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.report import Unit


async def run(scene: Scene) -> None:
    """Preempt and resume one request, in both ways."""
    for resume in ("snapshot", "recompute"):
        with scene.station(1, resume=resume) as s:
            interruptions = await _there_and_back(scene, s)
            scene.row(f"{resume}: interruptions", interruptions, Unit.COUNT)
            history = len(s.tokens[s.request(0).uuid])
            scene.row(f"{resume}: tokens", history, Unit.TOKENS)


async def _there_and_back(scene: Scene, s: Station) -> int:
    handle = await s.manager.allocate(s.spec(0))
    s.feed(handle, 12)
    interruptions = 0
    while True:
        before = picture(s.manager)
        if not await cancelled_at(s.manager.evict(s.request(0)), interruptions + 1):
            break
        interruptions += 1
        scene.expect(picture(s.manager) == before, "I10: an interrupted eviction left traces")
        scene.expect_right(s)
    scene.expect(not handle.is_valid(), "the handle of a preempted request is valid")
    await _use_the_slot(scene, s)
    out = interruptions
    while True:
        before = picture(s.manager)
        nth = interruptions - out + 1
        if not await cancelled_at(s.manager.resume(s.request(0)), nth):
            break
        interruptions += 1
        scene.expect(picture(s.manager) == before, "I10: an interrupted resumption left traces")
        await _use_the_slot(scene, s)
    scene.expect_right(s)
    back = s.manager.get_handle(s.request(0))
    if back is None:
        scene.expect(holds=False, what="the resumed request has no handle")
        return interruptions
    scene.expect(back.cache_id() != handle.cache_id(), "the cache id was used again")
    s.feed(back, 5)
    scene.expect_right(s)
    return interruptions


async def _use_the_slot(scene: Scene, s: Station) -> None:
    """Another tenant fills the slot with its own state, and leaves."""
    tenant = await s.manager.allocate(s.spec(1))
    scene.expect_zero(tenant)
    s.feed(tenant, 7)
    await s.manager.deallocate(s.request(1))
    s.tokens[s.request(1).uuid] = []
