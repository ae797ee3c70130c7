"""What the contract says of a manager and its handles."""

from __future__ import annotations

import time

import pytest

from ferrum_cli.contract import DataType, Device, RecurrentStateHandle, RecurrentStateManager
from ferrum_cli.errors import AlreadyExists, ResourceExhausted, StaleHandle, UsageError
from ferrum_cli.live.audit import picture
from ferrum_cli.quantity import MAX_USIZE
from tests.live.specs import CONV_AND_DELTA, ODD, OTHER, tensors_of
from tests.live.stations import run, station


def test_an_allocation_is_counted_in_every_field() -> None:
    async def scenario() -> None:
        with station(4) as s:
            handle = await s.manager.allocate(s.spec(1, slots=2))
            stats = s.manager.stats()
            assert stats.to_json() == {
                "total_memory_bytes": 4 * 492,
                "used_memory_bytes": 2 * 492,
                "active_states": 1,
                "active_state_tensors": 6,
                "total_batch_slots": 4,
                "used_batch_slots": 2,
                "allocation_count": 1,
                "allocation_failures": 0,
                "eviction_count": 0,
            }
            assert s.manager.list_handles() == [(s.request(1), handle)]
            assert s.manager.get_handle(s.request(1)) is handle
            assert s.auditor.check() == []

    run(scenario())


def test_a_handle_says_what_it_is() -> None:
    async def scenario() -> None:
        with station(4) as s:
            before = time.monotonic()
            handle = await s.manager.allocate(s.spec(1, slots=2))
            stats = handle.stats()
            assert isinstance(handle, RecurrentStateHandle)
            assert isinstance(s.manager, RecurrentStateManager)
            assert handle.request_id() == s.request(1)
            assert handle.device() == Device.cuda(0)
            assert (handle.num_layers(), handle.state_bytes()) == (3, 984)
            assert (stats.memory_bytes, stats.state_tensors, stats.batch_slots) == (984, 6, 2)
            assert before <= stats.last_access <= time.monotonic()
            assert handle.clone_handle().cache_id() == handle.cache_id()
            assert handle.as_any() is handle

    run(scenario())


def test_a_duplicate_request_is_refused_and_the_first_state_is_untouched() -> None:
    async def scenario() -> None:
        with station(4) as s:
            handle = await s.manager.allocate(s.spec(1))
            s.feed(handle, 5)
            before = picture(s.manager)
            with pytest.raises(AlreadyExists) as refusal:
                await s.manager.allocate(s.spec(1, slots=2))
            assert str(s.request(1)) in str(refusal.value)
            assert not s.manager.can_allocate(s.spec(1))
            assert picture(s.manager) == before
            assert s.manager.stats().allocation_failures == 1
            assert s.mismatch(handle) is None
            assert handle.is_valid()

    run(scenario())


def test_an_unknown_request_is_deallocated_without_an_error() -> None:
    async def scenario() -> None:
        with station(2) as s:
            await s.manager.deallocate(s.request(9))
            assert s.auditor.check() == []

    run(scenario())


def test_a_deallocated_handle_is_invalid_and_its_stats_stay_readable() -> None:
    async def scenario() -> None:
        with station(2) as s:
            handle = await s.manager.allocate(s.spec(1))
            await s.manager.deallocate(s.request(1))
            assert not handle.is_valid()
            assert s.manager.get_handle(s.request(1)) is None
            assert handle.stats().memory_bytes == 492
            for use in (handle.touch, handle.views, handle.clone_handle):
                with pytest.raises(StaleHandle, match=handle.cache_id()):
                    use()
            again = await s.manager.allocate(s.spec(1))
            assert again.cache_id() != handle.cache_id()
            assert not handle.is_valid()
            assert s.auditor.check() == []

    run(scenario())


# budget in bytes, in slots, what is allocated first, what does not fit any more
LIMITS = [
    ("bytes", 3 * 492 - 1, 9, [1, 1], 1),
    ("slots", 9 * 492, 3, [2], 2),
    ("places in the pool", 99 * 492, 99, [4, 4], 2),
]


@pytest.mark.parametrize(("what", "memory", "slots", "held", "too_many"), LIMITS)
def test_bytes_slots_and_places_must_all_fit(
    what: str, memory: int, slots: int, held: list[int], too_many: int
) -> None:
    del what  # it names the case

    async def scenario() -> None:
        with station(9, total_memory_bytes=memory, total_batch_slots=slots) as s:
            for number, count in enumerate(held):
                await s.manager.allocate(s.spec(number, slots=count))
            before = picture(s.manager)
            assert not s.manager.can_allocate(s.spec(50, slots=too_many))
            with pytest.raises(ResourceExhausted, match="slots are free of"):
                await s.manager.allocate(s.spec(50, slots=too_many))
            assert picture(s.manager) == before
            assert s.auditor.check() == []

    run(scenario())


def test_the_last_byte_of_the_budget_can_be_used() -> None:
    async def scenario() -> None:
        with station(9, total_memory_bytes=3 * 492) as s:
            for number in range(3):
                assert s.manager.can_allocate(s.spec(number))
                await s.manager.allocate(s.spec(number))
            assert not s.manager.can_allocate(s.spec(3))
            assert s.auditor.check() == []

    run(scenario())


def test_an_overflowing_estimate_fits_no_budget_not_even_the_largest() -> None:
    async def scenario() -> None:
        with station(2, total_memory_bytes=MAX_USIZE, total_batch_slots=MAX_USIZE) as s:
            huge = s.spec(1, slots=MAX_USIZE)
            assert huge.estimated_memory_bytes() == MAX_USIZE
            assert not s.manager.can_allocate(huge)
            with pytest.raises(ResourceExhausted):
                await s.manager.allocate(huge)
            overflowing = tensors_of(("huge", (2**40, 2**40), DataType.FP32))
            assert not s.manager.can_allocate(s.spec(1, tensors=overflowing))
            with pytest.raises(ResourceExhausted, match="no slots for these state tensors"):
                await s.manager.allocate(s.spec(1, tensors=overflowing))

    run(scenario())


def test_a_request_without_slots_holds_no_bytes_and_has_a_handle() -> None:
    async def scenario() -> None:
        with station(1) as s:
            handle = await s.manager.allocate(s.spec(1, slots=0))
            assert (handle.state_bytes(), handle.slots) == (0, ())
            assert s.manager.stats().active_states == 1
            assert s.auditor.check() == []
            await s.manager.deallocate(s.request(1))
            assert s.auditor.check() == []

    run(scenario())


def test_a_spec_for_another_device_is_refused() -> None:
    async def scenario() -> None:
        with station(1) as s:
            spec = s.spec(1)
            object.__setattr__(spec, "device", Device.cuda(7))
            assert not s.manager.can_allocate(spec)
            with pytest.raises(ResourceExhausted, match="on cuda:0, not on cuda:7"):
                await s.manager.allocate(spec)

    run(scenario())


def test_reset_invalidates_every_handle_and_keeps_the_counters() -> None:
    async def scenario() -> None:
        with station(4) as s:
            handles = [await s.manager.allocate(s.spec(n)) for n in range(3)]
            await s.manager.deallocate(s.request(0))
            await s.manager.reset()
            assert not any(handle.is_valid() for handle in handles)
            stats = s.manager.stats()
            assert (stats.active_states, stats.used_memory_bytes, stats.used_batch_slots) == (
                0,
                0,
                0,
            )
            assert stats.allocation_count == 3
            assert s.auditor.check() == []
            for number in range(4):
                await s.manager.allocate(s.spec(number))
            assert s.auditor.check() == []

    run(scenario())


def test_several_specs_share_one_budget_of_bytes_and_slots() -> None:
    async def scenario() -> None:
        others = ((OTHER, 4), (ODD, 4))
        with station(
            4, others=others, total_memory_bytes=492 + 1024 + 41, total_batch_slots=9
        ) as s:
            await s.manager.allocate(s.spec(1))
            await s.manager.allocate(s.spec(2, tensors=OTHER))
            assert not s.manager.can_allocate(s.spec(3, tensors=OTHER))
            await s.manager.allocate(s.spec(3, tensors=ODD))
            # ODD has 4 + 0 + 7 + 30 bytes.
            assert s.manager.stats().used_memory_bytes == 492 + 1024 + 41
            assert s.manager.stats().active_state_tensors == 6 + 2 + 4
            assert s.auditor.check() == []

    run(scenario())


def test_a_slot_is_zero_whoever_had_it_before() -> None:
    async def scenario() -> None:
        with station(1) as s:
            first = await s.manager.allocate(s.spec(1))
            assert s.mismatch(first) is None  # no tokens, so zero
            s.feed(first, 9)
            await s.manager.deallocate(s.request(1))
            second = await s.manager.allocate(s.spec(2))
            assert second.slots == first.slots
            assert all(not view.any() for view in second.views())

    run(scenario())


def test_a_tensor_is_reached_by_layer_and_name_in_each_slot() -> None:
    async def scenario() -> None:
        with station(2, tensors=CONV_AND_DELTA) as s:
            handle = await s.manager.allocate(s.spec(1, slots=2))
            handle.tensor(2, "delta_state", slot=1).fill_(3)
            assert handle.tensor(2, "delta_state", slot=1).shape == (2, 4, 4)
            assert float(handle.tensor(2, "delta_state", slot=0).sum()) == 0
            assert float(handle.views(1)[1].sum()) == 3 * 32
            with pytest.raises(UsageError, match="no state tensor 'delta'"):
                handle.tensor(0, "delta")
            with pytest.raises(UsageError, match="slot 2 of 2"):
                handle.views(2)

    run(scenario())
