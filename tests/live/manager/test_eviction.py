"""Eviction and resumption: who goes, what stays, and what comes back."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import (
    AlreadyExists,
    CopyFailed,
    ResourceExhausted,
    StateError,
    UnknownRequest,
)
from ferrum_cli.live.adaptors import Fault
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.layout import layouts
from tests.live.specs import CONV_AND_DELTA, OTHER
from tests.live.stations import evicting, run, station


async def fill(s: Station, count: int, tokens: int = 5) -> None:
    """Requests 0 to count - 1, each with some tokens, used in this order."""
    for number in range(count):
        s.feed(await s.manager.allocate(s.spec(number)), tokens + number)


def live_numbers(s: Station) -> set[int]:
    return {int(request_id.uuid[-12:], 16) for request_id, _ in s.manager.list_handles()}


@pytest.mark.parametrize("resume", ["snapshot", "recompute"])
@pytest.mark.parametrize("layout", layouts())
def test_an_evicted_state_comes_back_as_it_was(layout: str, resume: str) -> None:
    async def scenario() -> None:
        with evicting(3, resume, layout=layout) as s:
            await fill(s, 3)
            old = s.manager.get_handle(s.request(0))
            newcomer = await s.manager.allocate(s.spec(9))
            assert old is not None
            assert not old.is_valid()
            assert live_numbers(s) == {1, 2, 9}
            assert s.manager.is_swapped(s.request(0))
            assert all(not view.any() for view in newcomer.views())
            s.feed(newcomer, 4)
            back = await s.manager.resume(s.request(0))
            assert back.cache_id() != old.cache_id()
            assert not s.manager.is_swapped(s.request(0))
            assert live_numbers(s) == {0, 2, 9}
            s.feed(back, 3)
            assert s.mismatches(h for _, h in s.manager.list_handles()) == []
            stats = s.manager.stats()
            assert (stats.allocation_count, stats.eviction_count) == (5, 2)
            assert s.auditor.check() == []

    run(scenario())


def test_a_swapped_request_cannot_be_allocated_anew_but_resumed_or_deallocated() -> None:
    async def scenario() -> None:
        with evicting(1) as s:
            await fill(s, 1)
            await s.manager.evict(s.request(0))
            assert not s.manager.can_allocate(s.spec(0))
            with pytest.raises(AlreadyExists):
                await s.manager.allocate(s.spec(0))
            await s.manager.deallocate(s.request(0))
            assert not s.manager.is_swapped(s.request(0))
            with pytest.raises(UnknownRequest, match="no swapped state"):
                await s.manager.resume(s.request(0))
            fresh = await s.manager.allocate(s.spec(0))
            assert all(not view.any() for view in fresh.views())
            assert s.auditor.check() == []

    run(scenario())


# policy, and the order in which requests 0 to 3 are evicted: request 1 has two slots, 2 was used
# last, 0 has the highest priority and 3 the lowest.
ORDERS = [
    ("lru", [0, 1, 3, 2]),
    ("oldest", [0, 1, 2, 3]),
    ("largest", [1, 0, 3, 2]),
    ("priority", [3, 1, 2, 0]),
]


@pytest.mark.parametrize(("policy", "expected"), ORDERS)
def test_a_policy_evicts_in_its_order(policy: str, expected: list[int]) -> None:
    async def scenario() -> None:
        with station(5, eviction=policy, resume="recompute") as s:
            for number, (slots, priority) in enumerate([(1, 9), (2, 5), (1, 7), (1, 1)]):
                await s.manager.allocate(s.spec(number, slots=slots), priority=priority)
            s.manager.touch(s.request(2))
            order = []
            for extra in range(4):
                before = live_numbers(s)
                while s.manager.ledger.free_slots:
                    filler = s.spec(100 + extra + 10 * s.manager.ledger.free_slots)
                    await s.manager.allocate(filler, priority=99)
                    s.manager.pin(filler.request_id)
                await s.manager.allocate(s.spec(200 + extra), priority=99)
                s.manager.pin(s.request(200 + extra))
                order += [n for n in before if n not in live_numbers(s)]
            assert order == expected
            assert s.auditor.check() == []

    run(scenario())


def test_without_a_policy_nothing_is_evicted_on_its_own() -> None:
    async def scenario() -> None:
        with station(2, resume="snapshot") as s:
            await fill(s, 2)
            with pytest.raises(ResourceExhausted):
                await s.manager.allocate(s.spec(9))
            await s.manager.evict(s.request(1))
            await s.manager.allocate(s.spec(9))
            assert live_numbers(s) == {0, 9}

    run(scenario())


def test_without_a_resume_policy_nothing_is_evicted_at_all() -> None:
    async def scenario() -> None:
        with station(1, eviction="lru") as s:
            await fill(s, 1)
            assert not s.manager.can_allocate(s.spec(9))
            with pytest.raises(ResourceExhausted):
                await s.manager.allocate(s.spec(9))
            with pytest.raises(ResourceExhausted, match="no resume policy"):
                await s.manager.evict(s.request(0))
            assert live_numbers(s) == {0}
            assert s.auditor.check() == []

    run(scenario())


def test_a_pinned_state_is_never_evicted() -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await fill(s, 2)
            s.manager.pin(s.request(0))
            await s.manager.allocate(s.spec(5))
            assert live_numbers(s) == {0, 5}
            s.manager.pin(s.request(5))
            before = picture(s.manager)
            assert not s.manager.can_allocate(s.spec(6))
            with pytest.raises(ResourceExhausted):
                await s.manager.allocate(s.spec(6))
            with pytest.raises(StateError, match="is pinned"):
                await s.manager.evict(s.request(0))
            assert picture(s.manager) == before
            s.manager.unpin(s.request(0))
            with pytest.raises(UnknownRequest, match="is not pinned"):
                s.manager.unpin(s.request(0))
            await s.manager.allocate(s.spec(6))
            assert live_numbers(s) == {5, 6}
            assert s.auditor.check() == []

    run(scenario())


def test_as_many_are_evicted_as_are_needed_or_none() -> None:
    async def scenario() -> None:
        with evicting(4) as s:
            await fill(s, 4)
            s.manager.pin(s.request(0))
            before = picture(s.manager)
            with pytest.raises(ResourceExhausted):
                await s.manager.allocate(s.spec(9, slots=4))
            assert picture(s.manager) == before
            await s.manager.allocate(s.spec(9, slots=2))
            assert live_numbers(s) == {0, 3, 9}
            assert s.auditor.check() == []

    run(scenario())


def test_room_for_snapshots_bounds_eviction_and_can_allocate_knows() -> None:
    async def scenario() -> None:
        with evicting(2, host_bytes=1024) as s:  # one packed slot
            await fill(s, 2)
            await s.manager.allocate(s.spec(5))
            before = picture(s.manager)
            assert not s.manager.can_allocate(s.spec(6))
            with pytest.raises(ResourceExhausted):
                await s.manager.allocate(s.spec(6))
            with pytest.raises(ResourceExhausted, match=r"1.00 KiB does not fit into the 0 B left"):
                await s.manager.evict(s.request(1))
            assert picture(s.manager) == before
            await s.manager.deallocate(s.request(0))
            assert s.manager.can_allocate(s.spec(6))
            await s.manager.allocate(s.spec(6))
            assert s.auditor.check() == []

    run(scenario())


def test_a_shared_budget_is_freed_by_evicting_the_other_class() -> None:
    async def scenario() -> None:
        # Three small states and one large one fit the bytes; places are no limit.
        budget = 3 * 492 + 1024
        others = ((OTHER, 4),)
        with evicting(8, others=others, total_memory_bytes=budget, total_batch_slots=99) as s:
            await fill(s, 5)
            assert s.manager.ledger.free_bytes == budget - 5 * 492
            large = await s.manager.allocate(s.spec(50, tensors=OTHER))
            assert live_numbers(s) == {2, 3, 4, 50}
            s.feed(large, 3)
            await s.manager.resume(s.request(0))
            assert live_numbers(s) == {3, 4, 50, 0}
            assert s.mismatches(h for _, h in s.manager.list_handles()) == []
            assert s.auditor.check() == []

    run(scenario())


def test_places_of_the_storage_itself_are_freed_first() -> None:
    async def scenario() -> None:
        others = ((OTHER, 2),)
        with evicting(2, others=others, total_batch_slots=4) as s:
            await fill(s, 2)
            for number in (10, 11):
                await s.manager.allocate(s.spec(number, tensors=OTHER))
            s.manager.touch(s.request(0))
            # No place of OTHER is free: one of its own must go, although 1 was used longer ago.
            await s.manager.allocate(s.spec(12, tensors=OTHER))
            assert live_numbers(s) == {0, 1, 11, 12}
            assert s.auditor.check() == []

    run(scenario())


@pytest.mark.parametrize("layout", layouts())
def test_a_copy_that_fails_while_evicting_changes_nothing(layout: str) -> None:
    async def scenario() -> None:
        copies = 1 if layout == "arena" else len(CONV_AND_DELTA)
        for nth in range(1, copies + 1):
            with evicting(2, layout=layout) as s:
                await fill(s, 2)
                before = picture(s.manager)
                s.failing.arm(Fault("copy", nth, CopyFailed))
                with pytest.raises(CopyFailed):
                    await s.manager.allocate(s.spec(9))
                assert s.failing.fired == 1
                assert picture(s.manager) == before
                assert s.mismatches(h for _, h in s.manager.list_handles()) == []
                assert s.auditor.check() == []
                await s.manager.allocate(s.spec(9))
                assert s.auditor.check() == []

    run(scenario())


def test_a_failure_that_shows_while_waiting_brings_the_victims_back() -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await fill(s, 2)
            before = picture(s.manager)
            handle = s.manager.get_handle(s.request(0))
            s.failing.arm(Fault("wait", 1, CopyFailed))
            with pytest.raises(CopyFailed):
                await s.manager.allocate(s.spec(9, slots=2))
            assert picture(s.manager) == before
            assert handle is not None
            assert handle.is_valid()
            assert s.mismatches(h for _, h in s.manager.list_handles()) == []
            assert s.auditor.check() == []

    run(scenario())


def test_a_restore_that_fails_leaves_the_request_swapped() -> None:
    async def scenario() -> None:
        with evicting(2, layout="layer-major") as s:
            await fill(s, 1)
            await s.manager.evict(s.request(0))
            before = picture(s.manager)
            for nth in range(1, len(CONV_AND_DELTA) + 1):
                s.failing.arm(Fault("copy", nth, CopyFailed))
                with pytest.raises(CopyFailed):
                    await s.manager.resume(s.request(0))
                assert picture(s.manager) == before
                assert s.auditor.check() == []
            back = await s.manager.resume(s.request(0))
            assert s.mismatch(back) is None

    run(scenario())


def test_a_history_that_cannot_be_had_leaves_the_request_swapped() -> None:
    async def scenario() -> None:
        with evicting(2, "recompute") as s:
            await fill(s, 1)
            await s.manager.evict(s.request(0))
            broken = s.recurrence_of(s.pool.storages[0])
            original = broken.advance
            broken.advance = lambda *_: 1 / 0  # type: ignore[method-assign,assignment]
            with pytest.raises(ZeroDivisionError):
                await s.manager.resume(s.request(0))
            assert s.manager.is_swapped(s.request(0))
            assert s.auditor.check() == []
            broken.advance = original  # type: ignore[method-assign]
            assert s.mismatch(await s.manager.resume(s.request(0))) is None

    run(scenario())


def test_priority_survives_being_swapped() -> None:
    async def scenario() -> None:
        with station(2, eviction="priority", resume="recompute") as s:
            await s.manager.allocate(s.spec(0), priority=5)
            await s.manager.allocate(s.spec(1), priority=1)
            await s.manager.evict(s.request(0))
            await s.manager.resume(s.request(0))
            await s.manager.allocate(s.spec(2), priority=9)
            assert live_numbers(s) == {0, 2}

    run(scenario())
