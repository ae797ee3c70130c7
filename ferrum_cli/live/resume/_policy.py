"""What a way of resuming must do: save a state that leaves the device, and bring it back.

It knows nothing about slots' owners: the manager says what leaves and where it returns to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from ferrum_cli.contract import RecurrentStateResumePolicy, RecurrentStateSpec
from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.layout import Storage


class Resident(Protocol):
    """A state in slots of a storage."""

    spec: RecurrentStateSpec
    storage: Storage
    slots: tuple[int, ...]


class Saved(ABC):
    """What is kept of a state that has left the device."""

    kind: RecurrentStateResumePolicy
    reason: str = ""
    """Why it was saved this way, where there was a choice."""
    host_bytes: int = 0
    """Staging memory that it holds."""
    queued: bool = False
    """Whether copies were queued, which must land before the state may be overwritten."""

    async def fetch(self) -> None:  # noqa: B027 - most are within reach
        """Bring it within reach of a copy, such as from a file. Being cancelled loses nothing."""

    @abstractmethod
    def restore(self, storage: Storage, slots: Sequence[int]) -> None:
        """Queue on the copies stream what fills the slots; whatever they held before is lost."""

    def check(self) -> None:  # noqa: B027 - a copy that failed has raised already
        """Once that work is done: raise if it did not succeed."""

    @abstractmethod
    def drop(self) -> None:
        """Let go of it. Dropping twice is no error."""


class ResumePolicy(ABC):
    """A way of resuming."""

    instant: bool = False
    """Whether saving never queues anything, so that a state can go at once."""

    @abstractmethod
    def can_save(self, states: Sequence[Resident]) -> bool:
        """Whether `save` would find room for all of these at once."""

    @abstractmethod
    def save(self, state: Resident) -> Saved:
        """Queue on the copies stream what saves the state, which stays as it is.

        Raises ResourceExhausted where there is no room for it; then nothing is kept.
        """

    @abstractmethod
    def close(self) -> None:
        """Give memory back; whatever is still saved is lost."""


class NoResume(ResumePolicy):
    """Nothing can be brought back, so nothing is evicted."""

    def can_save(self, states: Sequence[Resident]) -> bool:
        """Only no state at all."""
        return not states

    def save(self, state: Resident) -> Saved:
        """Refuse."""
        raise ResourceExhausted(
            "an evicted state could not come back: the manager has no resume policy",
            where=str(state.spec.request_id),
        )

    def close(self) -> None:
        """Nothing is held."""
