"""Rolling a state back: to what it was, or not at all."""

from __future__ import annotations

import asyncio

import pytest

from ferrum_cli.errors import CopyFailed, ResourceExhausted, RollbackRefused, StaleHandle
from ferrum_cli.live.adaptors import Fault
from ferrum_cli.live.checkpoints import Checkpoints
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.manager import StateHandle
from tests.live.stations import evicting, run, station

PACKED = 1024
"""Bytes of one packed slot of the tensors that stations have."""


async def fed(s: Station, number: int = 0, tokens: int = 5) -> StateHandle:
    handle = await s.manager.allocate(s.spec(number))
    s.feed(handle, tokens)
    return handle


def trim(s: Station, handle: StateHandle, position: int) -> None:
    """The request's tokens, as if those after `position` had never been."""
    del s.tokens[handle.request_id().uuid][position:]


def test_a_state_is_rolled_back_to_what_it_was() -> None:
    async def scenario() -> None:
        with station(2) as s:
            kept = Checkpoints(s.manager, 4 * PACKED)
            handle = await fed(s)
            await kept.save(handle, 5)
            s.feed(handle, 3)
            assert await kept.rollback(handle, 7) == 5
            trim(s, handle, 5)
            assert s.mismatch(handle) is None
            s.feed(handle, 2)
            assert s.mismatch(handle) is None
            kept.close()
            assert s.auditor.check() == []

    run(scenario())


def test_going_back_further_than_the_checkpoints_is_refused_and_changes_nothing() -> None:
    async def scenario() -> None:
        with station(2) as s:
            kept = Checkpoints(s.manager, 4 * PACKED)
            handle = await fed(s)
            await kept.save(handle, 5)
            with pytest.raises(RollbackRefused, match=r"at or before token 4: there are \[5\]"):
                await kept.rollback(handle, 4)
            assert s.mismatch(handle) is None
            kept.close()

    run(scenario())


def test_the_latest_position_that_is_early_enough_is_taken_and_later_ones_go() -> None:
    async def scenario() -> None:
        with station(2) as s:
            kept = Checkpoints(s.manager, 4 * PACKED)
            handle = await fed(s)
            for position in (5, 8, 11):
                await kept.save(handle, position)
                s.feed(handle, 3)
            assert await kept.rollback(handle, 10) == 8
            assert kept.positions(handle) == [5, 8]
            trim(s, handle, 8)
            assert s.mismatch(handle) is None
            kept.close()

    run(scenario())


def test_bytes_bound_the_checkpoints_and_the_oldest_go_first() -> None:
    async def scenario() -> None:
        with station(3) as s:
            kept = Checkpoints(s.manager, 3 * PACKED)
            one, two = await fed(s, 0), await fed(s, 1)
            await kept.save(one, 5)
            for position in range(5, 30):
                await kept.save(two, position)
                assert kept.used_bytes <= 3 * PACKED
            assert (kept.positions(one), kept.positions(two)) == ([], [27, 28, 29])
            kept.close()

    run(scenario())


def test_a_state_larger_than_all_room_has_no_checkpoints() -> None:
    async def scenario() -> None:
        with station(1) as s:
            kept = Checkpoints(s.manager, PACKED // 2)
            handle = await fed(s)
            with pytest.raises(ResourceExhausted, match="does not fit"):
                await kept.save(handle, 5)
            kept.close()

    run(scenario())


def test_checkpoints_go_with_the_allocation() -> None:
    async def scenario() -> None:
        with evicting(1) as s:
            kept = Checkpoints(s.manager, 4 * PACKED)
            handle = await fed(s)
            await kept.save(handle, 5)
            await s.manager.evict(s.request(0))
            assert kept.positions(handle) == []
            assert kept.used_bytes == 0
            back = await s.manager.resume(s.request(0))
            with pytest.raises(RollbackRefused):
                await kept.rollback(back, 5)
            with pytest.raises(StaleHandle):
                await kept.rollback(handle, 5)
            await kept.save(back, 5)
            kept.forget(back)
            assert kept.positions(back) == []
            kept.close()

    run(scenario())


def test_a_checkpoint_is_of_use_only_when_its_copy_is_there() -> None:
    async def scenario() -> None:
        with station(1) as s:
            kept = Checkpoints(s.manager, 4 * PACKED)
            handle = await fed(s)
            saving = asyncio.ensure_future(kept.save(handle, 5))
            await asyncio.sleep(0)
            assert kept.positions(handle) == []
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
            assert kept.positions(handle) == []
            assert kept.used_bytes == 0
            saving = asyncio.ensure_future(kept.save(handle, 5))
            await asyncio.sleep(0)
            await s.manager.deallocate(s.request(0))
            [outcome] = await asyncio.gather(saving, return_exceptions=True)
            assert isinstance(outcome, StaleHandle)
            assert kept.used_bytes == 0
            kept.close()

    run(scenario())


def test_a_rollback_that_fails_half_way_takes_the_state_with_it() -> None:
    async def scenario() -> None:
        with station(1, layout="layer-major") as s:
            kept = Checkpoints(s.manager, 4 * PACKED)
            handle = await fed(s)
            await kept.save(handle, 5)
            s.feed(handle, 1)
            s.failing.arm(Fault("copy", 3, CopyFailed))
            with pytest.raises(CopyFailed):
                await kept.rollback(handle, 5)
            assert not handle.is_valid()
            assert s.auditor.check() == []
            kept.close()

    run(scenario())


def test_a_cancelled_rollback_is_complete_before_the_state_is_used() -> None:
    async def scenario() -> None:
        with station(1) as s:
            kept = Checkpoints(s.manager, 4 * PACKED)
            handle = await fed(s)
            await kept.save(handle, 5)
            s.feed(handle, 2)
            task = asyncio.ensure_future(kept.rollback(handle, 5))
            await asyncio.sleep(0)
            assert handle.pins == 1
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            trim(s, handle, 5)
            assert handle.pins == 0
            assert s.mismatch(handle) is None
            kept.close()

    run(scenario())


def test_a_slot_freed_during_a_rollback_goes_to_another_only_after_the_copy() -> None:
    async def scenario() -> None:
        with station(1) as s:
            kept = Checkpoints(s.manager, 4 * PACKED)
            handle = await fed(s)
            await kept.save(handle, 5)
            task = asyncio.ensure_future(kept.rollback(handle, 5))
            await asyncio.sleep(0)
            await s.manager.deallocate(s.request(0))
            fresh = await s.manager.allocate(s.spec(1))
            await asyncio.gather(task, return_exceptions=True)
            assert all(not view.any() for view in fresh.views())
            kept.close()

    run(scenario())
