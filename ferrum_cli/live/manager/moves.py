"""Operations that wait for copies: states that leave, and room for one that arrives.

Each method is one change without a wait in it; the manager waits in between. It knows nothing about
which states should leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ferrum_cli.contract import RecurrentStateSpec
from ferrum_cli.live.device import Stream
from ferrum_cli.live.layout import Slots, Storage
from ferrum_cli.live.manager.books import Books
from ferrum_cli.live.manager.handle import ACTIVE, GONE, LEAVING, StateHandle
from ferrum_cli.live.manager.records import Departure, Move, Swapped
from ferrum_cli.live.resume import ResumePolicy

Room = tuple[Storage, Slots]
"""Slots on their way back to their storage."""


class Moves:
    """The moves of one manager: `begin`, then `commit`, then `arrive` or `end`; or `undo`."""

    def __init__(self, books: Books, resume: ResumePolicy) -> None:
        self.books = books
        self.resume = resume
        self._ledger = books.ledger

    def begin(
        self, victims: Sequence[StateHandle], arrival: RecurrentStateSpec | None = None
    ) -> Move:
        """Start to save the victims and keep room for an arrival; all of it, or no change."""
        move = Move(arrival)
        with self.books.change():
            try:
                if arrival is not None:
                    move.storage = self.books.pool.storage_of(arrival)
                for victim in victims:
                    move.departures.append(Departure(victim, self.resume.save(victim)))
                if any(departure.saved.queued for departure in move.departures):
                    move.landed = self.books.device.record(Stream.COPIES)
            except BaseException:
                for departure in move.departures:
                    departure.saved.drop()
                raise
            self._book(move)
        return move

    def commit(self, move: Move) -> None:
        """The departures are saved: they are swapped, and their room is the arrival's, or free.

        Raises OutOfMemory where the arrival's memory must still be allocated; the departures stay
        swapped then, and `undo` gives the room back.
        """
        with self.books.change():
            left = [self._depart(move, departure) for departure in move.departures]
            move.departures.clear()
            self._keep_promise(move)
            for room in left:
                self.books.give(*room)
            if move.storage is not None and move.missing_slots:
                slots = move.storage.take(move.missing_slots)
                self._hold(move.storage, len(slots))
                move.slots += slots

    def arrive(self, move: Move, priority: int) -> StateHandle:
        """The arrival's slots hold its state: it is live, and no longer swapped if it was."""
        assert move.arrival is not None  # noqa: S101
        assert move.storage is not None  # noqa: S101
        spec, ledger = move.arrival, self._ledger
        with self.books.change():
            self.books.moves.discard(move)
            self.books.elsewhere.pop(spec.request_id.uuid, None)
            self._hold(move.storage, -len(move.slots))
            ledger.allocations += 1
            ledger.active_tensors += len(spec.tensors)
            handle = StateHandle(
                spec, move.storage, move.slots, ledger.allocations, self.books.live
            )
            if priority:
                handle.priority = priority
            self.books.live[spec.request_id.uuid] = handle
        return handle

    def end(self, move: Move) -> None:
        """An operation without an arrival is over."""
        self.books.moves.discard(move)

    def undo(self, move: Move) -> None:
        """Give everything back that an operation has taken: states that were leaving live on."""
        if move.void:
            return
        # Queued copies may still write to the slots: whoever has them next comes after that.
        self.books.settle_copies()
        with self.books.change():
            left = [room for d in reversed(move.departures) for room in self._return(d)]
            self._keep_promise(move)
            self.books.moves.discard(move)
            if move.arrival is not None:
                uuid = move.arrival.request_id.uuid
                if self.books.elsewhere.get(uuid) is move:
                    del self.books.elsewhere[uuid]
            if move.storage is not None:
                self._hold(move.storage, -len(move.slots))
                left.append((move.storage, move.slots))
            for room in left:
                self.books.give(*room)

    def _book(self, move: Move) -> None:
        """The victims leave; what the arrival needs beyond their room is kept for it."""
        leaving_bytes = leaving_slots = 0
        for departure in move.departures:
            handle = departure.handle
            uuid = handle.spec.request_id.uuid
            handle.phase = LEAVING
            del self.books.live[uuid]
            self.books.elsewhere[uuid] = departure
            self._ledger.active_tensors -= len(handle.spec.tensors)
            self._hold(handle.storage, len(handle.slots))
            leaving_bytes += handle.state_bytes()
            leaving_slots += len(handle.slots)
        if move.storage is not None and move.arrival is not None:
            missing_bytes = move.missing_slots * move.storage.layout.payload_bytes
            move.promised_bytes = max(0, missing_bytes - leaving_bytes)
            move.promised_slots = max(0, move.missing_slots - leaving_slots)
            inherited = sum(
                len(d.handle.slots) for d in move.departures if d.handle.storage is move.storage
            )
            move.promised_places = max(0, move.missing_slots - inherited)
            move.storage.promised += move.promised_places
            self._ledger.promised_bytes += move.promised_bytes
            self._ledger.promised_slots += move.promised_slots
            self.books.elsewhere.setdefault(move.arrival.request_id.uuid, move)
        self.books.moves.add(move)

    def _depart(self, move: Move, departure: Departure) -> Room:
        """Swap a state out, pass its slots on to the arrival, and say which of them are left."""
        handle = departure.handle
        uuid = handle.spec.request_id.uuid
        if handle.phase is LEAVING:
            handle.phase = GONE
            self.books.elsewhere[uuid] = Swapped(handle.spec, handle.priority, departure.saved)
            self._ledger.evictions += 1
        else:
            departure.saved.drop()
        wanted = move.missing_slots if handle.storage is move.storage else 0
        move.slots += handle.slots[:wanted]
        left = handle.slots[wanted:]
        self._hold(handle.storage, -len(left))
        return handle.storage, left

    def _return(self, departure: Departure) -> Iterator[Room]:
        """A state that was leaving stays; one that was deallocated meanwhile leaves its room."""
        handle = departure.handle
        departure.saved.drop()
        self._hold(handle.storage, -len(handle.slots))
        if handle.phase is LEAVING:
            uuid = handle.spec.request_id.uuid
            handle.phase = ACTIVE
            del self.books.elsewhere[uuid]
            self.books.live[uuid] = handle
            self.books.live.move_to_end(uuid, last=False)
            self._ledger.active_tensors += len(handle.spec.tensors)
        else:
            yield handle.storage, handle.slots

    def _keep_promise(self, move: Move) -> None:
        self._ledger.promised_bytes -= move.promised_bytes
        self._ledger.promised_slots -= move.promised_slots
        if move.storage is not None:
            move.storage.promised -= move.promised_places
        move.promised_bytes = move.promised_slots = move.promised_places = 0

    def _hold(self, storage: Storage, count: int) -> None:
        """Slots that are taken count as moving from now on, or no longer if `count` is negative."""
        self._ledger.moving_slots += count
        self._ledger.moving_bytes += count * storage.layout.payload_bytes
