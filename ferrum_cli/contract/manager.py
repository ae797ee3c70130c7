"""Who allocates state and takes it back: the Rust trait `RecurrentStateManager` and its statistics.

It knows nothing about memory or eviction; coroutines are declared here, never run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields

from ferrum_cli.contract.handle import RecurrentStateHandle
from ferrum_cli.contract.request_id import RequestId
from ferrum_cli.contract.spec import RecurrentStateSpec
from ferrum_cli.contract.strict import record, usize


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentStateManagerStats:
    """Statistics of one manager: sums over live handles, and counters that never go back."""

    total_memory_bytes: int
    """The budget of memory."""
    used_memory_bytes: int
    """Memory of the live states."""
    active_states: int
    """Live handles."""
    active_state_tensors: int
    """State tensors of the live handles."""
    total_batch_slots: int
    """The budget of slots."""
    used_batch_slots: int
    """Slots of the live handles."""
    allocation_count: int
    """Allocations that succeeded."""
    allocation_failures: int
    """Allocations that were refused or failed."""
    eviction_count: int
    """States that were evicted."""

    def to_json(self) -> dict[str, int]:
        """Serde's form."""
        return asdict(self)

    @classmethod
    def from_json(cls, obj: object, path: str = "") -> RecurrentStateManagerStats:
        """Read serde's form; missing and unknown fields are refused."""
        found = record(obj, path, [field.name for field in fields(cls)])
        return cls(**{name: usize(*value) for name, value in found.items()})


class RecurrentStateManager(ABC):
    """Allocates recurrent state and ends its life."""

    @abstractmethod
    async def allocate(self, spec: RecurrentStateSpec) -> RecurrentStateHandle:
        """Allocate the state of one request.

        Raises AlreadyExists if the request has state, which stays as it is, and ResourceExhausted
        if its bytes or slots do not fit. Both count as allocation failures.
        """

    @abstractmethod
    async def deallocate(self, request_id: RequestId) -> None:
        """Take the state of one request back. An unknown request is no error."""

    @abstractmethod
    def can_allocate(self, spec: RecurrentStateSpec) -> bool:
        """Whether `allocate` would succeed now; false for a request that has state."""

    @abstractmethod
    def get_handle(self, request_id: RequestId) -> RecurrentStateHandle | None:
        """The handle of a request that has state, else None."""

    @abstractmethod
    def list_handles(self) -> list[tuple[RequestId, RecurrentStateHandle]]:
        """All live handles with their requests."""

    @abstractmethod
    def stats(self) -> RecurrentStateManagerStats:
        """Aggregate statistics."""

    @abstractmethod
    async def reset(self) -> None:
        """Drop all state. Every handle becomes invalid; the counters keep their values."""
