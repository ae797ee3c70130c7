"""Who has what: live, leaving, arriving and swapped states, and the room that each takes.

Each method is one change without a wait in it. It knows nothing about coroutines, or about who may
go first; states that cannot be reached any more because the device is lost are still booked here.
Requests go by their UUIDs, whose hashes Python keeps.
"""

from __future__ import annotations

from collections import OrderedDict

from ferrum_cli.errors import DeviceLost
from ferrum_cli.live.device import Stream
from ferrum_cli.live.layout import Slots, Storage
from ferrum_cli.live.manager.handle import GONE, StateHandle
from ferrum_cli.live.manager.ledger import Ledger
from ferrum_cli.live.manager.pool import StatePool
from ferrum_cli.live.manager.records import Departure, Move, Swapped
from ferrum_cli.live.resume import Saved


class Books:
    """The books of one manager."""

    def __init__(self, pool: StatePool, ledger: Ledger) -> None:
        self.pool = pool
        self.device = pool.device
        self.ledger = ledger
        self.live: OrderedDict[str, StateHandle] = OrderedDict()
        self.elsewhere: dict[str, Departure | Swapped | Move] = {}
        """Requests with state that is not live: leaving, swapped, or arriving anew."""
        self.moves: set[Move] = set()
        self._change = Change(ledger)
        self.lost: DeviceLost | None = None

    @property
    def leaving(self) -> int:
        """States whose snapshots are under way."""
        return sum(isinstance(record, Departure) for record in self.elsewhere.values())

    def swapped(self, uuid: str) -> Swapped | None:
        """What is kept of an evicted request."""
        record = self.elsewhere.get(uuid)
        return record if isinstance(record, Swapped) else None

    def release(self, uuid: str) -> None:
        """Take back the state of a request that is not live; an unknown request has none."""
        with self.change():
            record = self.elsewhere.pop(uuid, None)
            if record is not None:
                self._drop(record)
            if isinstance(record, Departure):
                self.ledger.deallocations += 1

    def swap(self, handle: StateHandle, saved: Saved) -> None:
        """A live state is saved already: it is swapped, and its slots are free."""
        spec = handle.spec
        with self._change:
            del self.live[spec.request_id.uuid]
            handle.phase = GONE
            self.elsewhere[spec.request_id.uuid] = Swapped(spec, handle.priority, saved)
            self.ledger.active_tensors -= handle.storage.tensors
            self.ledger.evictions += 1
            self.give(handle.storage, handle.slots)

    def clear(self) -> None:
        """Drop all state. Operations under way find themselves void."""
        self.settle_copies()
        with self.change():
            ledger = self.ledger
            ledger.reset_handles += len(self.live) + self.leaving
            ledger.active_tensors = 0
            ledger.moving_bytes = ledger.moving_slots = 0
            ledger.promised_bytes = ledger.promised_slots = 0
            for handle in self.live.values():
                handle.phase = GONE
            for record in self.elsewhere.values():
                self._drop(record)
            for move in self.moves:
                move.void = True
                for departure in move.departures:
                    departure.saved.drop()
            for group in (self.live, self.elsewhere, self.moves):
                group.clear()
            self._reset_pool()

    def settle_copies(self) -> None:
        """What the caller's order does from now on comes after all copies queued so far."""
        try:
            self.device.follow(Stream.COMPUTE, self.device.record(Stream.COPIES))
        except DeviceLost as error:
            self.lost = error

    def _drop(self, record: Departure | Swapped | Move) -> None:
        """Nobody wants the state any more; an operation that has it in hand lets go of it later."""
        match record:
            case Departure(handle=handle):
                handle.phase = GONE
            case Move():
                record.withdrawn = True
            case Swapped(busy=False, saved=saved):
                saved.drop()

    def give(self, storage: Storage, slots: Slots) -> None:
        """Slots are free again; a device that fails at it is lost."""
        try:
            storage.give(slots)
        except DeviceLost as error:
            # The books are right; the memory went with the device.
            self.lost = error

    def _reset_pool(self) -> None:
        try:
            self.pool.reset(lost=self.lost is not None)
        except DeviceLost as error:
            self.lost = error
            self.pool.reset(lost=True)

    def change(self) -> Change:
        """Readers in other threads see the books before or after, never between."""
        return self._change


class Change:
    """Marks a change as begun and finished; contexts made by generators take ten times as long."""

    __slots__ = ("_ledger",)

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __enter__(self) -> None:
        self._ledger.begun += 1

    def __exit__(self, *_: object) -> None:
        ledger = self._ledger
        ledger.changes = ledger.begun - ledger.allocations - ledger.deallocations
