"""Four live states that differ in every respect a policy may look at."""

from __future__ import annotations

from ferrum_cli.live.policies import policy
from tests.live.stations import run, station

# slots and priority of requests 0 to 3, which are allocated in this order
STATES = [(1, 9), (2, 5), (1, 7), (3, 5)]


def ordered(name: str, use: tuple[int, ...] = ()) -> list[int]:
    """The order in which a policy would evict requests 0 to 3, after these were used again."""

    async def scenario() -> list[int]:
        with station(7) as s:
            for number, (slots, priority) in enumerate(STATES):
                await s.manager.allocate(s.spec(number, slots=slots), priority=priority)
            for number in use:
                s.manager.touch(s.request(number))
            order = policy(name)
            numbers = {s.request(number).uuid: number for number in range(4)}
            return [numbers[h.request_id().uuid] for h in order(s.manager.books.live)]

    return run(scenario())
