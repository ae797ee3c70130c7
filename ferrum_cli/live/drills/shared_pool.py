"""Two kinds of tenant share one budget: whoever needs room gets it from either of them.

Small tenants stand for a KV cache that has grown into the memory that states share with it. It
knows nothing about what the tenants keep.
"""

from __future__ import annotations

from ferrum_cli.contract import DataType, RecurrentStateTensorSpec
from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station, Tensors
from ferrum_cli.report import Unit

STATES, SMALL = 3, 24


async def run(scene: Scene) -> None:
    """Fill the budget with small tenants, pin what states there are, and ask for another state."""
    small = _small(scene)
    size = small[0].num_elements()
    budget = STATES * scene.slot_bytes
    with scene.station(
        STATES,
        others=((small, SMALL),),
        total_memory_bytes=budget,
        total_batch_slots=STATES + SMALL,
        eviction="lru",
        resume="snapshot",
        host_bytes=(STATES + SMALL) * max(scene.packed_bytes, size),
    ) as s:
        s.feed(await s.manager.allocate(s.spec(0)), 4)
        s.manager.pin(s.request(0))
        tenants = 0
        while s.manager.ledger.free_bytes >= size and tenants < SMALL:
            tenants += 1
            s.feed(await s.manager.allocate(s.spec(100 + tenants, tensors=small)), 2)
        gap = s.manager.ledger.free_bytes
        scene.expect(gap < scene.slot_bytes, "the budget was not filled")
        scene.expect(s.manager.can_allocate(s.spec(1)), "starved: small tenants are not evicted")
        s.feed(await s.manager.allocate(s.spec(1)), 4)
        s.manager.pin(s.request(1))
        evicted = s.manager.stats().eviction_count
        scene.expect(evicted > 0, "nobody made room")
        await _pinned_tenants(scene, s)
        scene.expect_right(s)
        scene.row("gap before", gap, Unit.BYTES)
        scene.row("a state", scene.slot_bytes, Unit.BYTES)
        scene.row("small tenants", tenants, Unit.COUNT)
        scene.row("small tenants evicted", evicted, Unit.COUNT)


async def _pinned_tenants(scene: Scene, s: Station) -> None:
    """With everybody pinned there is no room to make, and nobody is hurt by the attempt."""
    for request, handle in s.manager.list_handles():
        if not handle.pins:
            s.manager.pin(request)
    before = picture(s.manager)
    await scene.expect_refused(
        s.manager.allocate(s.spec(2, slots=3)), ResourceExhausted, "everybody is pinned"
    )
    scene.expect(picture(s.manager) == before, "I10: a refused allocation left traces")


def _small(scene: Scene) -> Tensors:
    """A tenant of an eighth of a state, at most."""
    size = max(1, scene.slot_bytes // 8)
    return (RecurrentStateTensorSpec.new(0, "page", (size,), DataType.UINT8),)
