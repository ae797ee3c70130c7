"""All requests finish, and the pool takes as much again: no slot is lost, none is counted twice.

It knows nothing about which request had which slot.
"""

from __future__ import annotations

from ferrum_cli.contract import RequestId
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.report import Unit

SLOTS, ROUNDS = 6, 12
Requests = list[RequestId]
SHAPES = ([1] * SLOTS, [2] * (SLOTS // 2), [3, 3], [SLOTS], [1, 2, 3], [4, 1, 1])


async def _release(s: Station, requests: Requests) -> None:
    for request in requests:
        await s.manager.deallocate(request)


async def _reset(s: Station, requests: Requests) -> None:
    await s.manager.reset()
    await _release(s, requests)


async def _evict_every_other(s: Station, requests: Requests) -> None:
    for request in requests[::2]:
        await s.manager.evict(request)
    await _release(s, requests)


WAYS = (_release, _reset, _evict_every_other)
"""How a round may end."""


async def run(scene: Scene) -> None:
    """Fill with requests of other sizes each time, and drain in another way each time."""
    with scene.station(SLOTS, eviction="lru", resume="snapshot") as s:
        number = 0
        for turn in range(ROUNDS):
            requests = []
            for slots in SHAPES[turn % len(SHAPES)]:
                number += 1
                spec = s.spec(number, slots=slots)
                scene.expect(s.manager.can_allocate(spec), f"round {turn}: a slot is missing")
                s.feed(await s.manager.allocate(spec), 2)
                requests.append(s.request(number))
            full = s.manager.stats()
            scene.expect(full.used_batch_slots == SLOTS, f"round {turn}: {full}")
            scene.expect(s.manager.ledger.free_slots == 0, f"round {turn}: a slot too many")
            scene.expect_right(s)
            scene.rng.shuffle(requests)
            await WAYS[turn % len(WAYS)](s, requests)
            empty = s.manager.stats()
            idle = (empty.used_memory_bytes, empty.used_batch_slots, empty.active_states)
            scene.expect(idle == (0, 0, 0), f"round {turn}: not empty: {empty}")
            scene.audit(s)
        scene.row("rounds", ROUNDS, Unit.COUNT)
        scene.row("requests", number, Unit.COUNT)
        scene.row("slots", SLOTS, Unit.COUNT)
