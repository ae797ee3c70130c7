"""What happens to operations under way when somebody else does something meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ferrum_cli.errors import AlreadyExists, ResourceExhausted, UnknownRequest, Withdrawn
from ferrum_cli.live.device import Stream
from ferrum_cli.live.drills._station import Station
from tests.live.specs import OTHER
from tests.live.stations import evicting, run


async def filled(s: Station, count: int) -> None:
    for number in range(count):
        s.feed(await s.manager.allocate(s.spec(number)), 5)


async def in_the_middle(work: Awaitable[object], act: Callable[[], Awaitable[object]]) -> object:
    """Start work, let it come to its first wait, act, and give the work's result or error."""
    task = asyncio.ensure_future(work)
    await asyncio.sleep(0)
    assert not task.done()
    await act()
    return (await asyncio.gather(task, return_exceptions=True))[0]


def test_a_leaving_state_is_neither_listed_nor_valid_nor_allocatable_nor_evictable() -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await filled(s, 2)
            handle = s.manager.get_handle(s.request(0))
            assert handle is not None

            async def look() -> None:
                assert not handle.is_valid()
                assert s.manager.get_handle(s.request(0)) is None
                assert not s.manager.is_swapped(s.request(0))
                assert s.manager.stats().active_states == 1
                assert s.auditor.check(idle=False) == []
                assert not s.manager.can_allocate(s.spec(0))
                with pytest.raises(AlreadyExists):
                    await s.manager.allocate(s.spec(0))
                with pytest.raises(UnknownRequest):
                    await s.manager.evict(s.request(0))
                with pytest.raises(UnknownRequest):
                    await s.manager.resume(s.request(0))

            assert await in_the_middle(s.manager.evict(s.request(0)), look) is None
            assert s.manager.is_swapped(s.request(0))
            assert s.auditor.check() == []

    run(scenario())


def test_room_that_is_being_made_is_not_given_to_others() -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await filled(s, 2)
            s.manager.pin(s.request(1))

            async def grab() -> None:
                with pytest.raises(ResourceExhausted):
                    await s.manager.allocate(s.spec(8))
                assert not s.manager.can_allocate(s.spec(8))
                assert s.auditor.check(idle=False) == []

            await in_the_middle(s.manager.allocate(s.spec(9)), grab)
            assert s.manager.get_handle(s.request(9)) is not None
            assert s.auditor.check() == []

    run(scenario())


def test_an_arriving_request_that_is_deallocated_is_withdrawn_and_its_victims_stay() -> None:
    async def scenario() -> None:
        with evicting(1) as s:
            await filled(s, 1)
            outcome = await in_the_middle(
                s.manager.allocate(s.spec(9)), lambda: s.manager.deallocate(s.request(9))
            )
            assert isinstance(outcome, Withdrawn)
            back = s.manager.get_handle(s.request(0))
            assert back is not None
            assert s.mismatch(back) is None
            assert s.auditor.check() == []
            await s.manager.allocate(s.spec(9))

    run(scenario())


def test_a_leaving_request_that_is_deallocated_leaves_its_room_and_no_snapshot() -> None:
    async def scenario() -> None:
        with evicting(1) as s:
            await filled(s, 1)
            await in_the_middle(
                s.manager.allocate(s.spec(9)), lambda: s.manager.deallocate(s.request(0))
            )
            assert not s.manager.is_swapped(s.request(0))
            assert s.manager.get_handle(s.request(9)) is not None
            assert s.manager.stats().eviction_count == 0
            assert s.resume.staging.used_bytes == 0  # type: ignore[attr-defined]
            assert s.auditor.check() == []

    run(scenario())


def test_a_reset_while_copies_are_in_flight_voids_every_operation() -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await filled(s, 2)
            await s.manager.evict(s.request(0))
            await s.manager.allocate(s.spec(7))

            tasks = [
                asyncio.ensure_future(s.manager.resume(s.request(0))),
                asyncio.ensure_future(s.manager.evict(s.request(7))),
            ]
            await asyncio.sleep(0)
            assert s.manager.books.moves
            await s.manager.reset()
            outcome = await asyncio.gather(*tasks, return_exceptions=True)
            assert [type(error) for error in outcome] == [Withdrawn, Withdrawn]
            assert s.manager.stats().active_states == 0
            assert s.resume.staging.used_bytes == 0  # type: ignore[attr-defined]
            assert s.auditor.check() == []
            handles = [await s.manager.allocate(s.spec(n)) for n in range(2)]
            s.device.wait(s.device.record(Stream.COPIES))
            assert all(not view.any() for handle in handles for view in handle.views())

    run(scenario())


def test_a_request_deallocated_while_it_is_resumed_stays_away() -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await filled(s, 1)
            await s.manager.evict(s.request(0))
            outcome = await in_the_middle(
                s.manager.resume(s.request(0)), lambda: s.manager.deallocate(s.request(0))
            )
            assert isinstance(outcome, Withdrawn)
            assert s.manager.get_handle(s.request(0)) is None
            assert s.resume.staging.used_bytes == 0  # type: ignore[attr-defined]
            assert s.auditor.check() == []

    run(scenario())


def test_a_request_is_resumed_once() -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await filled(s, 1)
            await s.manager.evict(s.request(0))
            outcomes = await asyncio.gather(
                *(s.manager.resume(s.request(0)) for _ in range(3)), return_exceptions=True
            )
            assert [type(outcome).__name__ for outcome in outcomes] == [
                "StateHandle",
                "AlreadyExists",
                "AlreadyExists",
            ]
            assert s.auditor.check() == []

    run(scenario())


def test_a_cancelled_restore_never_writes_into_a_slot_that_went_to_another() -> None:
    async def scenario() -> None:
        with evicting(1) as s:
            await filled(s, 1)
            await s.manager.evict(s.request(0))
            task = asyncio.ensure_future(s.manager.resume(s.request(0)))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            fresh = await s.manager.allocate(s.spec(9))
            s.device.wait(s.device.record(Stream.COPIES))
            assert all(not view.any() for view in fresh.views())
            assert s.manager.is_swapped(s.request(0))
            assert s.auditor.check() == []

    run(scenario())


def test_an_arrival_keeps_what_it_was_promised_from_another_class() -> None:
    async def scenario() -> None:
        # Room for two large states, taken by four small ones: all must go.
        with evicting(4, others=((OTHER, 3),), total_memory_bytes=2048, total_batch_slots=9) as s:
            await filled(s, 4)

            async def meddle() -> None:
                # A leaving state is given up, so that its bytes come free in the middle.
                await s.manager.deallocate(s.request(0))
                for number in range(20, 24):
                    if s.manager.can_allocate(s.spec(number, tensors=OTHER)):
                        await s.manager.allocate(s.spec(number, tensors=OTHER))
                assert s.auditor.check(idle=False) == []

            outcome = await in_the_middle(
                s.manager.allocate(s.spec(10, slots=2, tensors=OTHER)), meddle
            )
            assert not isinstance(outcome, BaseException)
            assert s.manager.get_handle(s.request(10)) is not None
            assert s.auditor.check() == []

    run(scenario())


# What is short, so that room beyond the victims' must be kept: budget of bytes, of slots, places.
KEPT = [
    ("bytes", {"total_memory_bytes": 3 * 492, "total_batch_slots": 99}, 9, 5),
    ("slots", {"total_batch_slots": 3}, 9, 5),
    ("places", {"total_batch_slots": 99}, 3, 5),
]


@pytest.mark.parametrize(("what", "budget", "places", "others"), KEPT)
@pytest.mark.parametrize("ends", ["arrived", "cancelled"])
def test_free_room_that_an_arrival_needs_beyond_its_victims_is_kept_for_it(
    what: str, budget: dict[str, int], places: int, others: int, ends: str
) -> None:
    del what  # it names the case

    async def scenario() -> None:
        with evicting(places, others=((OTHER, others),), **budget) as s:
            # One state is live and two more fit: the arrival needs all three.
            await filled(s, 1)
            task = asyncio.ensure_future(s.manager.allocate(s.spec(9, slots=3)))
            await asyncio.sleep(0)
            assert not task.done()
            assert not s.manager.can_allocate(s.spec(8))
            with pytest.raises(ResourceExhausted):
                await s.manager.allocate(s.spec(8))
            assert s.auditor.check(idle=False) == []
            if ends == "cancelled":
                task.cancel()
            [outcome] = await asyncio.gather(task, return_exceptions=True)
            assert isinstance(outcome, BaseException) == (ends == "cancelled")
            assert s.auditor.check() == []
            if ends == "cancelled":
                for number in (20, 21):
                    await s.manager.allocate(s.spec(number))
                assert s.mismatches(h for _, h in s.manager.list_handles() if h.number == 1) == []
                assert s.auditor.check() == []

    run(scenario())


def test_a_storage_keeps_no_place_for_an_arrival_that_was_given_up() -> None:
    async def scenario() -> None:
        with evicting(3, others=((OTHER, 5),), total_batch_slots=99) as s:
            await filled(s, 1)
            task = asyncio.ensure_future(s.manager.allocate(s.spec(9, slots=3)))
            await asyncio.sleep(0)
            assert s.pool.storages[0].promised == 2
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert s.pool.storages[0].promised == 0

    run(scenario())
