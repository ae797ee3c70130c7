"""Every figure that a manager keeps: its budget, what is taken of it, and counters.

What is taken is what is not free in the storages, so that no second count can differ from it; all
else is counted as it happens. Asking costs the same with one handle as with ten thousand. The
ledger knows nothing about whose the bytes are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from ferrum_cli.contract import RecurrentStateManagerStats
from ferrum_cli.live.layout import Storage
from ferrum_cli.quantity import MAX_USIZE

T = TypeVar("T")
PATIENCE_S = 2.0


class Ledger:
    """`free + used + moving = total`, for bytes and for slots.

    Used is what live handles have. Moving is what operations under way have: slots that they have
    taken, and bytes and slots that are promised to them out of the free ones.
    """

    __slots__ = (
        "_storages",
        "active_tensors",
        "allocations",
        "begun",
        "changes",
        "deallocations",
        "evictions",
        "failures",
        "moving_bytes",
        "moving_slots",
        "promised_bytes",
        "promised_slots",
        "reset_handles",
        "spare",
        "total_bytes",
        "total_slots",
    )

    def __init__(self, storages: Sequence[Storage], total_bytes: int, total_slots: int) -> None:
        self._storages = tuple((storage, storage.layout.payload_bytes) for storage in storages)
        self.total_bytes = total_bytes
        self.total_slots = total_slots
        self.moving_bytes = self.moving_slots = 0
        self.promised_bytes = self.promised_slots = 0
        self.active_tensors = 0
        self.allocations = self.failures = 0
        self.evictions = self.deallocations = self.reset_handles = 0
        self.begun = self.changes = 0
        """A change is under way while more were begun than finished: allocations, deallocations
        and `changes`, which are all others. Their counts are the last thing that each writes."""
        self.spare = self._spare()
        """With more free slots than this in the only storage, and no operation under way, one more
        state fits: the short cut of `has_room`."""

    @property
    def finished(self) -> int:
        """Changes that are complete."""
        return self.allocations + self.deallocations + self.changes

    @property
    def taken_bytes(self) -> int:
        """Bytes of the slots that are not free."""
        taken = 0
        for storage, payload in self._storages:
            taken += (storage.total - len(storage.free)) * payload
        return taken

    @property
    def taken_slots(self) -> int:
        """Slots that are not free."""
        taken = 0
        for storage, _ in self._storages:
            taken += storage.total - len(storage.free)
        return taken

    @property
    def free_bytes(self) -> int:
        """Bytes of the budget that nobody has."""
        return self.total_bytes - self.taken_bytes - self.promised_bytes

    @property
    def free_slots(self) -> int:
        """Slots of the budget that nobody has."""
        return self.total_slots - self.taken_slots - self.promised_slots

    @property
    def used_bytes(self) -> int:
        """Bytes of the live states."""
        return self.taken_bytes - self.moving_bytes

    @property
    def used_slots(self) -> int:
        """Slots of the live states."""
        return self.taken_slots - self.moving_slots

    def has_room(self, storage: Storage, count: int) -> bool:
        """Whether `count` slots of a storage, and their bytes, are free."""
        return (
            count <= len(storage.free) - storage.promised
            and count <= self.free_slots
            and count * storage.layout.payload_bytes <= self.free_bytes
        )

    def stats(self, active_states: int) -> RecurrentStateManagerStats:
        """The contract's statistics."""
        return RecurrentStateManagerStats(
            total_memory_bytes=self.total_bytes,
            used_memory_bytes=self.used_bytes,
            active_states=active_states,
            active_state_tensors=self.active_tensors,
            total_batch_slots=self.total_slots,
            used_batch_slots=self.used_slots,
            allocation_count=self.allocations,
            allocation_failures=self.failures,
            eviction_count=self.evictions,
        )

    def consistently(self, read: Callable[[], T]) -> T:
        """What `read` finds between two changes, also from another thread than the manager's.

        A lock would cost the manager more than all its counters; readers that came in the middle of
        a change read again instead. A change that never ends is a defect, which the audit names;
        whoever asks is not to wait for it for ever.
        """
        give_up = None
        while True:
            before = self.begun
            if before == self.finished:
                try:
                    found = read()
                except RuntimeError:
                    # A dictionary changed while it was walked.
                    if self.begun == before:
                        raise
                else:
                    if self.begun == before:
                        return found
            now = time.monotonic()
            give_up = give_up or now + PATIENCE_S
            if now > give_up:
                return read()
            time.sleep(0)

    def _spare(self) -> int:
        """Slots that the budget forbids to use; with several storages that is no fixed number."""
        if len(self._storages) != 1:
            return MAX_USIZE
        [(storage, payload)] = self._storages
        affordable = min(storage.total, self.total_slots)
        if payload:
            affordable = min(affordable, self.total_bytes // payload)
        return storage.total - affordable
