"""The invariants of a manager, checked from outside: every violation is found, not the first.

    I1  used bytes are those of the live handles, within the budget
    I2  used slots likewise
    I3  free + used + moving = total; every slot is free, a handle's or a move's, and only once
    I4  active states and tensors are those of the listed handles
    I5  counters never fall, and allocations - deallocations - evictions - resets = live handles
    I6  listed handles are valid, have cache ids of their own, and no other handle is valid
    I7  no two live states share a byte
    I8  nothing is under way, and nobody waits, when the manager is idle
    I9  can_allocate says what allocate does
    I10 what failed has changed nothing but counters: compare `picture` before and after

It knows nothing about drills or tests, which call it.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Iterator

from ferrum_cli.contract import RecurrentStateSpec
from ferrum_cli.errors import FerrumError
from ferrum_cli.live.adaptors import Tracked
from ferrum_cli.live.manager import StateHandle, StateManager
from ferrum_cli.live.manager.records import Departure, Move, Swapped

_COUNTERS = ("allocations", "failures", "deallocations", "evictions", "reset_handles")


def picture(manager: StateManager) -> object:
    """All that a failed operation must leave as it was: who has which slots, in which order."""
    books, ledger = manager.books, manager.ledger
    return (
        [(uuid, h.number, h.slots, h.pins) for uuid, h in books.live.items()],
        sorted((uuid, type(record).__name__) for uuid, record in books.elsewhere.items()),
        [sorted(storage.free) for storage in books.pool.storages],
        (ledger.used_bytes, ledger.used_slots, ledger.free_bytes, ledger.free_slots),
        len(books.moves),
    )


class Auditor:
    """Checks one manager again and again, remembering what it saw.

    With a `tracked` device that is the manager's alone, its bytes are compared as well.
    """

    def __init__(self, manager: StateManager, tracked: Tracked | None = None) -> None:
        self.manager = manager
        self._tracked = tracked
        self._counters = self._read_counters()
        self._seen: weakref.WeakSet[StateHandle] = weakref.WeakSet()
        self.checks = 0
        """How often it was asked."""

    def check(self, *, idle: bool = True) -> list[str]:
        """All violations of I1 to I7, and of I8 if nothing should be under way."""
        self.checks += 1
        found = [
            *self._bytes_and_slots(),
            *self._ownership(),
            *self._listing(),
            *self._counting(),
            *self._handles(),
            *self._sharing(),
        ]
        return [*found, *self._idleness()] if idle else found

    async def probe(self, spec: RecurrentStateSpec) -> list[str]:
        """I9 for a request that has no state: ask, allocate, and take it back.

        Evictions that this causes stay.
        """
        promised, before = self.manager.can_allocate(spec), picture(self.manager)
        try:
            await self.manager.allocate(spec)
        except FerrumError as error:
            found = [f"I9: can_allocate was true, but allocate says {error}"] if promised else []
            if picture(self.manager) != before:
                found.append("I10: a refused allocation has changed the books")
            return found
        await self.manager.deallocate(spec.request_id)
        return [] if promised else ["I9: can_allocate was false, but allocate succeeded"]

    def _bytes_and_slots(self) -> Iterator[str]:
        ledger, handles = self.manager.ledger, self._live()
        yield from _differ("I1", "used bytes", ledger.used_bytes, sum(_sizes(handles)))
        yield from _differ(
            "I2", "used slots", ledger.used_slots, sum(len(h.slots) for h in handles)
        )
        for number, name, used, total in (
            ("I1", "bytes", ledger.used_bytes, ledger.total_bytes),
            ("I2", "slots", ledger.used_slots, ledger.total_slots),
        ):
            if not 0 <= used <= total:
                yield f"{number}: {used} {name} are used of {total}"
        if self._tracked is not None and self.manager.books.lost is None:
            held = sum(s.held_bytes for s in self.manager.books.pool.storages)
            yield from _differ("I1", "bytes on the device", self._tracked.live_bytes, held)

    def _ownership(self) -> Iterator[str]:
        ledger, books = self.manager.ledger, self.manager.books
        for name, free, used, moving, total in (
            (
                "bytes",
                ledger.free_bytes,
                ledger.used_bytes,
                _moving_bytes(self.manager),
                ledger.total_bytes,
            ),
            (
                "slots",
                ledger.free_slots,
                ledger.used_slots,
                _moving_slots(self.manager),
                ledger.total_slots,
            ),
        ):
            yield from _differ("I3", f"free, used and moving {name}", free + used + moving, total)
            if min(free, used, moving) < 0:
                yield f"I3: {name} are negative: {free} free, {used} used, {moving} moving"
        for storage in books.pool.storages:
            owned = [slot for (slot,) in storage.free]
            owned += [s for h in self._live() if h.storage is storage for s in h.slots]
            for move in books.moves:
                owned += [
                    s
                    for d in move.departures
                    if d.handle.storage is storage
                    for s in d.handle.slots
                ]
                owned += move.slots if move.storage is storage else ()
            yield from _differ(
                "I3", "slots of a storage", sorted(owned), list(range(storage.total))
            )

    def _listing(self) -> Iterator[str]:
        stats, handles = self.manager.stats(), self.manager.list_handles()
        tensors = sum(handle.stats().state_tensors for _, handle in handles)
        yield from _differ("I4", "active states", stats.active_states, len(handles))
        yield from _differ("I4", "active tensors", stats.active_state_tensors, tensors)
        yield from _differ("I4", "evictions", stats.eviction_count, self.manager.ledger.evictions)

    def _counting(self) -> Iterator[str]:
        ledger = self.manager.ledger
        counters = self._read_counters()
        for name, before, now in zip(_COUNTERS, self._counters, counters, strict=True):
            if now < before:
                yield f"I5: {name} fell from {before} to {now}"
        self._counters = counters
        alive = ledger.allocations - ledger.deallocations - ledger.evictions - ledger.reset_handles
        there = len(self._live()) + self.manager.books.leaving
        yield from _differ("I5", "handles by the counters", alive, there)

    def _handles(self) -> Iterator[str]:
        listed = self.manager.list_handles()
        handles = [handle for _, handle in listed]
        yield from _differ("I6", "cache ids", len({h.cache_id() for h in handles}), len(handles))
        for request_id, handle in listed:
            if not handle.is_valid():
                yield f"I6: {handle!r} is listed but not valid"
            if self.manager.get_handle(request_id) is not handle:
                yield f"I6: {handle!r} is not what get_handle gives"
        for handle in self._seen:
            if handle.is_valid() and handle not in handles:
                yield f"I6: {handle!r} is valid but not listed"
        self._seen.update(handles)

    def _sharing(self) -> Iterator[str]:
        ranges = sorted(
            (id(piece.region.buffer), piece.region.start, piece.region.size_bytes)
            for handle in self._live()
            for slot in handle.slots
            for piece in handle.storage.pieces(slot)
        )
        for (buffer, start, size), (other, next_start, _) in itertools.pairwise(ranges):
            if buffer == other and next_start < start + size:
                yield f"I7: two live states share the byte at {next_start}"

    def _idleness(self) -> Iterator[str]:
        books, ledger = self.manager.books, self.manager.ledger
        if books.moves or any(isinstance(r, Departure | Move) for r in books.elsewhere.values()):
            yield f"I8: {len(books.moves)} operations are under way"
        if any(isinstance(r, Swapped) and r.busy for r in books.elsewhere.values()):
            yield "I8: a swapped state is busy"
        if self.manager.waiting:
            yield f"I8: {self.manager.waiting} wait for room"
        if ledger.begun != ledger.finished:
            yield "I8: a change was not finished"
        if ledger.promised_bytes or ledger.promised_slots:
            yield "I8: room is promised to nobody"

    def _live(self) -> list[StateHandle]:
        return list(self.manager.books.live.values())

    def _read_counters(self) -> tuple[int, ...]:
        return tuple(getattr(self.manager.ledger, name) for name in _COUNTERS)


def _sizes(handles: Iterable[StateHandle]) -> Iterator[int]:
    return (handle.stats().memory_bytes for handle in handles)


def _moving_bytes(manager: StateManager) -> int:
    return manager.ledger.moving_bytes + manager.ledger.promised_bytes


def _moving_slots(manager: StateManager) -> int:
    return manager.ledger.moving_slots + manager.ledger.promised_slots


def _differ(invariant: str, what: str, found: object, expected: object) -> Iterator[str]:
    if found != expected:
        yield f"{invariant}: {what}: {found}, not {expected}"
