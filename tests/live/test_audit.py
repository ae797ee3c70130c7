"""The audit finds every broken invariant, and says which it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.manager import StateHandle, ledger
from ferrum_cli.live.manager.handle import ACTIVE
from ferrum_cli.live.manager.records import Move
from tests.live.stations import evicting, run, station

KEPT: list[StateHandle] = []
"""What a caller did not let go of."""


def a_slot_twice(s: Station) -> None:
    first, second = s.manager.books.live.values()
    second.slots = first.slots


def a_slot_lost(s: Station) -> None:
    s.pool.storages[0].free.popleft()


def a_budget_overdrawn(s: Station) -> None:
    s.manager.ledger.total_bytes = 500


def a_handle_that_is_not_listed(s: Station) -> None:
    handle = next(iter(s.manager.books.live.values()))
    s.manager.deallocate_now(handle.request_id())
    handle.phase = ACTIVE
    KEPT.append(handle)


def a_handle_that_is_not_valid(s: Station) -> None:
    handle = next(iter(s.manager.books.live.values()))
    handle.phase = type(handle.phase)("gone")


def a_number_used_twice(s: Station) -> None:
    first, second = s.manager.books.live.values()
    second.number = first.number


def handles_under_each_others_names(s: Station) -> None:
    live = s.manager.books.live
    one, two = live
    live[one], live[two] = live[two], live[one]


def an_operation_that_never_ended(s: Station) -> None:
    s.manager.books.moves.add(Move())


def a_change_that_never_ended(s: Station) -> None:
    s.manager.ledger.changes -= 1


def room_promised_to_nobody(s: Station) -> None:
    s.manager.ledger.promised_bytes = 1


def device_memory_that_nobody_holds(s: Station) -> None:
    s.device.allocate(512)


BROKEN: list[tuple[str, Callable[[Station], None]]] = [
    ("I1: used bytes", a_slot_lost),
    ("I2: used slots", a_slot_lost),
    ("I1: 984 bytes are used of 500", a_budget_overdrawn),
    ("I1: bytes on the device", device_memory_that_nobody_holds),
    ("I3: slots of a storage", a_slot_twice),
    ("I3: slots of a storage", a_slot_lost),
    ("I3: bytes are negative", a_budget_overdrawn),
    ("I4: active tensors", lambda s: setattr(s.manager.ledger, "active_tensors", 5)),
    ("I5: evictions fell from 0 to -1", lambda s: setattr(s.manager.ledger, "evictions", -1)),
    ("I5: handles by the counters", lambda s: setattr(s.manager.ledger, "deallocations", 1)),
    ("I6: cache ids", a_number_used_twice),
    ("is listed but not valid", a_handle_that_is_not_valid),
    ("is valid but not listed", a_handle_that_is_not_listed),
    ("is not what get_handle gives", handles_under_each_others_names),
    ("I7: two live states share the byte at", a_slot_twice),
    ("I8: 1 operations are under way", an_operation_that_never_ended),
    ("I8: a change was not finished", a_change_that_never_ended),
    ("I8: room is promised to nobody", room_promised_to_nobody),
]


@pytest.mark.parametrize(("words", "break_it"), BROKEN)
def test_a_broken_invariant_is_named(
    words: str, break_it: Callable[[Station], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "PATIENCE_S", 0.01)
    s = station(4)
    for number in range(2):
        s.manager.try_allocate(s.spec(number))
    assert s.auditor.check() == []
    break_it(s)
    assert any(words in violation for violation in s.auditor.check()), s.auditor.check()


def test_what_is_under_way_is_no_violation_unless_the_manager_should_be_idle() -> None:
    async def scenario() -> None:
        with evicting(1) as s:
            s.feed(await s.manager.allocate(s.spec(0)), 2)
            evicting_one = asyncio.ensure_future(s.manager.allocate(s.spec(1)))
            waiting = asyncio.ensure_future(s.manager.acquire(s.spec(2)))
            await asyncio.sleep(0)
            assert s.auditor.check(idle=False) == []
            idle = s.auditor.check()
            assert "I8: 1 operations are under way" in idle
            assert "I8: 1 wait for room" in idle
            await evicting_one
            await waiting
            resuming = asyncio.ensure_future(s.manager.resume(s.request(0)))
            await asyncio.sleep(0)
            assert "I8: a swapped state is busy" in s.auditor.check()
            await resuming
            assert s.auditor.check() == []

    run(scenario())


def test_a_probe_holds_can_allocate_against_allocate(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        with station(2) as s:
            assert await s.auditor.probe(s.spec(1, slots=2)) == []
            assert await s.auditor.probe(s.spec(1, slots=3)) == []
            monkeypatch.setattr(type(s.manager), "can_allocate", lambda *_: True)
            [violation] = await s.auditor.probe(s.spec(1, slots=3))
            assert violation.startswith("I9: can_allocate was true, but allocate says")
            monkeypatch.setattr(type(s.manager), "can_allocate", lambda *_: False)
            assert await s.auditor.probe(s.spec(1)) == [
                "I9: can_allocate was false, but allocate succeeded"
            ]

            async def careless(*_: object) -> None:
                s.pool.storages[0].take(1)
                raise ResourceExhausted("no")

            monkeypatch.setattr(type(s.manager), "allocate", careless)
            assert await s.auditor.probe(s.spec(1)) == [
                "I10: a refused allocation has changed the books"
            ]

    run(scenario())


def test_a_picture_is_the_same_until_something_changes() -> None:
    s = station(2)
    before = picture(s.manager)
    s.manager.try_allocate(s.spec(0))
    changed = picture(s.manager)
    assert changed != before
    s.manager.pin(s.request(0))
    assert picture(s.manager) != changed
    s.manager.unpin(s.request(0))
    assert picture(s.manager) == changed


def test_a_handle_from_the_short_cut_has_all_that_its_constructor_gives() -> None:
    async def scenario() -> None:
        with evicting(1) as s:
            quick = await s.manager.allocate(s.spec(0))
            await s.manager.evict(s.request(0))
            slow = await s.manager.resume(s.request(0))
            for name in type(quick).__slots__:
                assert type(getattr(quick, name)) is type(getattr(slow, name)), name
            assert repr(slow).startswith("<active state ")
            assert repr(quick).startswith("<gone state ")

    run(scenario())
