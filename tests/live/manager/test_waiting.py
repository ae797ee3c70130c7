"""Waiting for room: first come first served, within bounds, and never for nothing."""

from __future__ import annotations

import asyncio

import pytest

from ferrum_cli.errors import AlreadyExists, ResourceExhausted
from ferrum_cli.live.manager.waiting import MOST_PASSES
from tests.live.stations import evicting, run, station


def test_acquire_takes_free_room_at_once() -> None:
    async def scenario() -> None:
        with station(1) as s:
            await s.manager.acquire(s.spec(1), 5)
            assert s.manager.stats().allocation_count == 1
            assert s.auditor.check() == []

    run(scenario())


def test_those_who_wait_are_served_in_the_order_of_their_coming() -> None:
    async def scenario() -> None:
        with station(2) as s:
            await s.manager.allocate(s.spec(0, slots=2))
            served: list[int] = []

            async def wait(number: int, slots: int) -> None:
                await s.manager.acquire(s.spec(number, slots=slots))
                served.append(number)
                await s.manager.deallocate(s.request(number))

            # The first wants more than the second: it is not passed although less would fit.
            tasks = [asyncio.ensure_future(wait(n, k)) for n, k in [(1, 2), (2, 1), (3, 2), (4, 1)]]
            await asyncio.sleep(0)
            assert s.manager.waiting == 4
            await s.manager.deallocate(s.request(0))
            await asyncio.gather(*tasks)
            assert served == [1, 2, 3, 4]
            assert s.auditor.check() == []

    run(scenario())


def test_a_wait_ends_with_its_time() -> None:
    async def scenario() -> None:
        with station(1) as s:
            await s.manager.allocate(s.spec(0))
            with pytest.raises(ResourceExhausted, match=r"no room within 0.01 s"):
                await s.manager.acquire(s.spec(1), 0.01)
            assert s.manager.stats().allocation_failures == 1
            assert s.auditor.check() == []

    run(scenario())


def test_what_can_never_fit_is_refused_without_a_wait() -> None:
    async def scenario() -> None:
        with station(2) as s:
            with pytest.raises(ResourceExhausted, match="needs"):
                await s.manager.acquire(s.spec(1, slots=3))
            await s.manager.allocate(s.spec(1))
            with pytest.raises(AlreadyExists):
                await s.manager.acquire(s.spec(1))
            assert s.manager.stats().allocation_failures == 2
            assert s.auditor.check() == []

    run(scenario())


def test_a_waiter_that_is_cancelled_calls_the_next() -> None:
    async def scenario() -> None:
        with station(1) as s:
            await s.manager.allocate(s.spec(0))
            first = asyncio.ensure_future(s.manager.acquire(s.spec(1)))
            second = asyncio.ensure_future(s.manager.acquire(s.spec(2)))
            await asyncio.sleep(0)
            await s.manager.deallocate(s.request(0))
            # The first has been called, but has not run yet.
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            await second
            assert s.manager.get_handle(s.request(1)) is None
            assert s.auditor.check() == []

    run(scenario())


def test_waiting_evicts_as_soon_as_somebody_may_be_evicted() -> None:
    async def scenario() -> None:
        with evicting(1) as s:
            s.feed(await s.manager.allocate(s.spec(0)), 3)
            s.manager.pin(s.request(0))
            task = asyncio.ensure_future(s.manager.acquire(s.spec(1)))
            await asyncio.sleep(0)
            assert not task.done()
            s.manager.unpin(s.request(0))
            await task
            assert s.manager.is_swapped(s.request(0))
            assert s.auditor.check() == []

    run(scenario())


def test_the_first_in_line_is_passed_a_bounded_number_of_times() -> None:
    async def scenario() -> None:
        with station(2) as s:
            await s.manager.allocate(s.spec(0))
            waiting = asyncio.ensure_future(s.manager.acquire(s.spec(1, slots=2)))
            await asyncio.sleep(0)
            passes = 0
            while s.manager.can_allocate(s.spec(2)):
                await s.manager.allocate(s.spec(2))
                await s.manager.deallocate(s.request(2))
                passes += 1
            assert passes == MOST_PASSES
            with pytest.raises(ResourceExhausted, match="others have waited"):
                await s.manager.allocate(s.spec(2))
            await s.manager.deallocate(s.request(0))
            await waiting
            await s.manager.deallocate(s.request(1))
            await s.manager.allocate(s.spec(2))
            assert s.auditor.check() == []

    run(scenario())


def test_a_reset_gives_its_room_to_those_who_wait() -> None:
    async def scenario() -> None:
        with station(1) as s:
            await s.manager.allocate(s.spec(0))
            waiting = asyncio.ensure_future(s.manager.acquire(s.spec(1)))
            await asyncio.sleep(0)
            await s.manager.reset()
            await waiting
            assert s.auditor.check() == []

    run(scenario())


def test_allocations_that_evict_are_counted_as_passing_too() -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await s.manager.allocate(s.spec(0))
            s.manager.pin(s.request(0))
            waiting = asyncio.ensure_future(s.manager.acquire(s.spec(1, slots=2)))
            await asyncio.sleep(0)
            passes = 0
            while s.manager.can_allocate(s.spec(100 + passes)):
                await s.manager.allocate(s.spec(100 + passes))
                await s.manager.deallocate(s.request(99 + passes))
                passes += 1
            assert passes == MOST_PASSES
            s.manager.unpin(s.request(0))
            await waiting
            assert s.auditor.check() == []

    run(scenario())
