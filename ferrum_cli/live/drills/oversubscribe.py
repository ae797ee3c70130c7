"""More requests than slots take turns; each finds its own state whenever it is its turn.

It knows nothing about which of them the policy evicts.
"""

from __future__ import annotations

from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.manager import StateHandle
from ferrum_cli.report import Unit

SLOTS, REQUESTS, ROUNDS = 4, 10, 4


async def run(scene: Scene) -> None:
    """Let every request read some tokens in every round, in another order each time."""
    host = REQUESTS * scene.packed_bytes
    with scene.station(
        SLOTS, eviction=scene.stage.eviction, resume=scene.stage.resume, host_bytes=host
    ) as s:
        for _ in range(ROUNDS):
            order = list(range(REQUESTS))
            scene.rng.shuffle(order)
            for number in order:
                handle = await _bring_in(s, number)
                scene.expect_right(s, [handle])
                s.feed(handle, scene.rng.randint(1, 3))
            scene.audit(s)
        for number in range(REQUESTS):
            scene.expect_right(s, [await _bring_in(s, number)])
        stats = s.manager.stats()
        scene.expect(stats.eviction_count >= REQUESTS - SLOTS, "nobody had to make room")
        scene.expect(
            stats.active_states + len(s.manager.books.elsewhere) == REQUESTS, "a request was lost"
        )
        scene.row("requests", REQUESTS, Unit.COUNT)
        scene.row("slots", SLOTS, Unit.COUNT)
        scene.row("turns", ROUNDS * REQUESTS, Unit.COUNT)
        scene.row("evictions", stats.eviction_count, Unit.COUNT)


async def _bring_in(s: Station, number: int) -> StateHandle:
    """The live state of a request, wherever it was."""
    request = s.request(number)
    if (handle := s.manager.get_handle(request)) is not None:
        return handle
    if s.manager.is_swapped(request):
        return await s.manager.resume(request)
    return await s.manager.allocate(s.spec(number))
