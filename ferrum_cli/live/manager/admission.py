"""Whether a state fits: its storage, the victims that would make room, and the words of a refusal.

It decides and changes nothing, and knows nothing about how room is made.
"""

from __future__ import annotations

from ferrum_cli.contract import RecurrentStateSpec
from ferrum_cli.errors import AlreadyExists, DeviceLost, ResourceExhausted
from ferrum_cli.live.manager.books import Books
from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.manager.room import Lack, victims
from ferrum_cli.live.manager.waiting import WaitingLine
from ferrum_cli.live.policies import Order
from ferrum_cli.live.resume import ResumePolicy
from ferrum_cli.quantity import format_bytes


class Admission:
    """The rules by which one manager lets states in."""

    def __init__(self, books: Books, order: Order, resume: ResumePolicy, line: WaitingLine) -> None:
        self._books = books
        self._order = order
        self._resume = resume
        self._line = line

    def victims(self, spec: RecurrentStateSpec) -> list[StateHandle] | None:
        """Whom to evict so that the spec fits, perhaps nobody; None where that is impossible."""
        ledger = self._books.ledger
        storage = self._books.pool.storage_of(spec)
        count = spec.max_batch_slots
        lack = Lack(
            storage,
            count * storage.layout.payload_bytes - ledger.free_bytes,
            count - ledger.free_slots,
            count - len(storage.free) + storage.promised,
        )
        chosen = victims(lack, self._order(self._books.live))
        return chosen if chosen is not None and self._resume.can_save(chosen) else None

    def would_admit(self, spec: RecurrentStateSpec) -> bool:
        """What `allocate` would do now."""
        books = self._books
        uuid = spec.request_id.uuid
        if books.lost is not None or uuid in books.live or uuid in books.elsewhere:
            return False
        try:
            return not self._line.is_owed() and self.victims(spec) is not None
        except ResourceExhausted:
            return False

    def check_device(self) -> None:
        """Raise DeviceLost at once if it was lost before."""
        if self._books.lost is not None:
            raise DeviceLost(
                f"the device was lost before: {self._books.lost.message}",
                hint="reset the manager and restart the process",
            )

    def check_turn(self) -> None:
        """Whoever does not wait stands back once the first in line was passed too often."""
        self.check_device()
        if self._line.is_owed():
            raise ResourceExhausted("others have waited for room for too long", hint="use acquire")

    def check_possible(self, spec: RecurrentStateSpec) -> None:
        """Whoever waits must have something to wait for."""
        uuid, ledger = spec.request_id.uuid, self._books.ledger
        storage = self._books.pool.storage_of(spec)
        if uuid in self._books.live or uuid in self._books.elsewhere:
            raise AlreadyExists("has state already; the first one is untouched")
        count = spec.max_batch_slots
        most = min(storage.total, ledger.total_slots)
        if count > most or count * storage.layout.payload_bytes > ledger.total_bytes:
            raise self.refusal(spec)

    def refusal(self, spec: RecurrentStateSpec) -> ResourceExhausted:
        """What is needed, and what there is."""
        ledger = self._books.ledger
        return ResourceExhausted(
            f"needs {format_bytes(spec.estimated_memory_bytes())} in {spec.max_batch_slots} slots;"
            f" {format_bytes(ledger.free_bytes)} in {ledger.free_slots} slots are free of"
            f" {format_bytes(ledger.total_bytes)} in {ledger.total_slots}",
            hint="deallocate a request, or raise the budget",
        )
