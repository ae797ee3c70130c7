"""Which states must go so that another fits: all that are needed, or none.

It knows nothing about how they are saved; it only decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ferrum_cli.live.layout import Storage
from ferrum_cli.live.manager.handle import StateHandle


@dataclass(slots=True)
class Lack:
    """What is missing: bytes and slots of the budget, and free slots of the storage."""

    storage: Storage
    size_bytes: int
    slots: int
    places: int

    def is_met(self) -> bool:
        """Whether nothing is missing any more."""
        return self.size_bytes <= 0 and self.slots <= 0 and self.places <= 0

    def would_shrink(self, handle: StateHandle, *, places_first: bool) -> bool:
        """Whether evicting the handle helps with what is missing."""
        if self.places > 0 and handle.storage is self.storage:
            return bool(handle.slots)
        if places_first:
            return False
        return (self.size_bytes > 0 and handle.state_bytes() > 0) or (
            self.slots > 0 and bool(handle.slots)
        )

    def shrink(self, handle: StateHandle) -> None:
        """Count what evicting the handle gives."""
        self.size_bytes -= handle.state_bytes()
        self.slots -= len(handle.slots)
        if handle.storage is self.storage:
            self.places -= len(handle.slots)


def victims(lack: Lack, order: Iterable[StateHandle]) -> list[StateHandle] | None:
    """States to evict, in the policy's order; None where all that may be evicted do not suffice.

    Slots of the storage itself come first, for they give bytes as well; then whoever shares the
    budget.
    """
    chosen: list[StateHandle] = []
    if lack.places > 0:
        _choose(lack, order, chosen, places_first=True)
    if not lack.is_met():
        _choose(lack, order, chosen, places_first=False)
    return chosen if lack.is_met() else None


def _choose(
    lack: Lack, order: Iterable[StateHandle], chosen: list[StateHandle], *, places_first: bool
) -> None:
    for handle in order:
        if lack.places <= 0 if places_first else lack.is_met():
            return
        if handle.pins or handle in chosen:
            continue
        if lack.would_shrink(handle, places_first=places_first):
            chosen.append(handle)
            lack.shrink(handle)
