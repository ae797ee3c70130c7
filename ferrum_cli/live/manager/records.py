"""What is known of a state that is not simply live: leaving, swapped, or making room to arrive.

They are data; the books and the moves change them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ferrum_cli.contract import RecurrentStateSpec
from ferrum_cli.live.device import Event
from ferrum_cli.live.layout import Slots, Storage
from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.resume import Saved


@dataclass(slots=True, eq=False)
class Swapped:
    """An evicted request: what it asked for, and what is kept of its state."""

    spec: RecurrentStateSpec
    priority: int
    saved: Saved
    busy: bool = False
    """Whether it is being resumed or moved to a file."""


@dataclass(slots=True, eq=False)
class Departure:
    """A state on its way out."""

    handle: StateHandle
    saved: Saved


@dataclass(slots=True, eq=False)
class Move:
    """An operation under way: states that leave, and room for one that arrives, if any."""

    arrival: RecurrentStateSpec | None = None
    storage: Storage | None = None
    slots: Slots = ()
    """What the arrival has of its slots so far."""
    departures: list[Departure] = field(default_factory=list)
    landed: Event | None = None
    """Reached when the departures are saved; None if that needs no copy."""
    promised_bytes: int = 0
    promised_slots: int = 0
    promised_places: int = 0
    """Bytes and slots of the budget, and slots of the storage, that are kept for the arrival."""
    withdrawn: bool = False
    """The arriving request was deallocated meanwhile."""
    void: bool = False
    """Everything was reset meanwhile."""

    @property
    def missing_slots(self) -> int:
        """Slots that the arrival still needs."""
        return (self.arrival.max_batch_slots if self.arrival else 0) - len(self.slots)
