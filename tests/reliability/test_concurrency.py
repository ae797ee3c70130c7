"""R6: 64 tasks and 100,000 operations, with 8 threads reading all the time; nobody starves."""

from __future__ import annotations

import asyncio
import random
import threading

from ferrum_cli.contract import RecurrentStateSpec
from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.manager.waiting import MOST_PASSES
from tests.live.stations import evicting, run, station

TASKS, OPERATIONS, READERS = 64, 100_000, 8
DEADLOCK_S = 60.0


def without_bytes() -> SimulatedDevice:
    return SimulatedDevice(backed=False)


class Reader(threading.Thread):
    """Asks the manager again and again, and notes what contradicts itself."""

    def __init__(self, s: Station) -> None:
        super().__init__()
        self.s = s
        self.stop = threading.Event()
        self.reads = 0
        self.wrong: list[str] = []
        self._probe = s.spec(10**6)

    def run(self) -> None:
        while not self.stop.is_set():
            stats = self.s.manager.stats()
            self.s.manager.can_allocate(self._probe)
            used = (stats.used_memory_bytes, stats.active_state_tensors)
            states = stats.active_states
            if used != (492 * states, 6 * states) or stats.used_batch_slots != states:
                self.wrong.append(str(stats))
            self.reads += 1
            self.stop.wait(0.001)


async def worker(s: Station, specs: list[RecurrentStateSpec], seed: int, operations: int) -> int:
    """Allocate and release own requests, in a disorder of its own."""
    rng = random.Random(seed)  # noqa: S311 - replayable, not secret
    held: list[RecurrentStateSpec] = []
    done = 0
    while done < operations:
        spec = rng.choice(specs)
        if spec in held:
            held.remove(spec)
            await s.manager.deallocate(spec.request_id)
        else:
            try:
                await s.manager.allocate(spec)
                held.append(spec)
            except ResourceExhausted:
                pass
        done += 1
        if done % 64 == 0:
            await asyncio.sleep(0)
    for spec in held:
        await s.manager.deallocate(spec.request_id)
    return done


def test_a_hundred_thousand_operations_of_sixty_four_tasks_read_by_eight_threads() -> None:
    with station(96, make_device=without_bytes) as s:
        specs = [[s.spec(4 * task + n) for n in range(4)] for task in range(TASKS)]
        readers = [Reader(s) for _ in range(READERS)]

        async def scenario() -> list[int]:
            async with asyncio.timeout(DEADLOCK_S):
                return await asyncio.gather(
                    *(worker(s, specs[t], t, OPERATIONS // TASKS + 1) for t in range(TASKS))
                )

        for reader in readers:
            reader.start()
        done = run(scenario())
        for reader in readers:
            reader.stop.set()
        for reader in readers:
            reader.join()
        assert sum(done) >= OPERATIONS
        assert all(reader.reads for reader in readers)
        assert [wrong for reader in readers for wrong in reader.wrong] == []
        assert s.manager.stats().active_states == 0
        assert s.auditor.check() == []


def test_tasks_that_evict_each_other_all_find_their_own_state_again() -> None:
    with evicting(8) as s:

        async def turn(number: int) -> None:
            request = s.request(number)
            for _ in range(8):
                handle = s.manager.get_handle(request)
                if handle is None and s.manager.is_swapped(request):
                    handle = await s.manager.resume(request)
                elif handle is None:
                    handle = await s.manager.allocate(s.spec(number))
                s.manager.pin(request)
                assert s.mismatch(handle) is None
                s.feed(handle, 2)
                await asyncio.sleep(0)
                assert s.mismatch(handle) is None
                s.manager.unpin(request)

        async def scenario() -> None:
            async with asyncio.timeout(DEADLOCK_S):
                turns = [turn(number) for number in range(24)]
                outcomes = await asyncio.gather(*turns, return_exceptions=True)
            refused = [o for o in outcomes if o is not None]
            # With everybody pinned or on the way, a turn may find no room; nothing else may fail.
            assert all(isinstance(outcome, ResourceExhausted) for outcome in refused)
            assert len(refused) < 24
            for number in range(24):
                if s.manager.is_swapped(s.request(number)):
                    await s.manager.deallocate(s.request(number))
            assert s.mismatches(h for _, h in s.manager.list_handles()) == []
            assert s.auditor.check() == []

        run(scenario())


def test_no_waiter_is_passed_more_often_than_the_bound() -> None:
    with station(4) as s:
        passed = 0

        async def passer(number: int) -> None:
            nonlocal passed
            while not served.is_set():
                try:
                    await s.manager.allocate(s.spec(number))
                except ResourceExhausted:
                    await asyncio.sleep(0)
                    continue
                passed += not served.is_set()
                await asyncio.sleep(0)
                await s.manager.deallocate(s.request(number))

        async def waiter() -> None:
            await s.manager.acquire(s.spec(1000, slots=4))
            served.set()

        async def scenario() -> None:
            async with asyncio.timeout(DEADLOCK_S):
                for number in range(4):
                    await s.manager.allocate(s.spec(number))
                waiting = asyncio.ensure_future(waiter())
                await asyncio.sleep(0)
                for number in range(4):
                    await s.manager.deallocate(s.request(number))
                    await s.manager.allocate(s.spec(100 + number))
                passers = [asyncio.ensure_future(passer(number)) for number in range(4)]
                for number in range(4):
                    await s.manager.deallocate(s.request(100 + number))
                await asyncio.gather(waiting, *passers)
            assert passed <= MOST_PASSES
            assert s.auditor.check() == []

        served = asyncio.Event()
        run(scenario())
