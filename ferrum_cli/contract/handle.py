"""State that a request holds: the Rust trait `RecurrentStateHandle` and its statistics.

It knows nothing about what backs the state.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass

from ferrum_cli.contract.device import Device
from ferrum_cli.contract.request_id import RequestId


@dataclass(frozen=True, slots=True)
class RecurrentStateHandleStats:
    """Statistics of one handle."""

    memory_bytes: int
    """Memory that this handle uses in all."""
    state_tensors: int
    """State tensors that it represents."""
    batch_slots: int
    """Request or batch slots that it reserves."""
    last_access: float
    """When it was last used, on the clock of `time.monotonic()`; for eviction policies."""

    def to_json(self) -> dict[str, object]:
        """The fields, with the age of the last access instead of the instant.

        An instant means nothing in another process; Rust's has no serde form either, and so these
        statistics are not read back.
        """
        return {
            "memory_bytes": self.memory_bytes,
            "state_tensors": self.state_tensors,
            "batch_slots": self.batch_slots,
            "seconds_since_last_access": max(0.0, time.monotonic() - self.last_access),
        }


class RecurrentStateHandle(ABC):
    """A handle on recurrent state. It may be used from several threads."""

    @abstractmethod
    def request_id(self) -> RequestId:
        """The request this state belongs to."""

    @abstractmethod
    def device(self) -> Device:
        """Where the state resides."""

    @abstractmethod
    def num_layers(self) -> int:
        """Model layers that this handle represents."""

    @abstractmethod
    def state_bytes(self) -> int:
        """Memory that this state uses, approximately."""

    @abstractmethod
    def clone_handle(self) -> RecurrentStateHandle:
        """Another reference to the same state. It must not copy the state itself."""

    @abstractmethod
    def as_any(self) -> object:
        """The backend's own object, for callers that know the backend."""

    @abstractmethod
    def stats(self) -> RecurrentStateHandleStats:
        """Statistics; they stay readable when the handle is no longer valid."""

    @abstractmethod
    def is_valid(self) -> bool:
        """Whether the state is still there."""

    @abstractmethod
    def cache_id(self) -> str:
        """An identifier of this one allocation, unique among all."""
