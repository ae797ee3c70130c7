"""State that a request holds: views of its tensors, for as long as the state is its own.

It knows nothing about budgets or eviction; the manager sets its phase.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum
from time import monotonic

import torch

from ferrum_cli.contract import (
    Device,
    RecurrentStateHandle,
    RecurrentStateHandleStats,
    RecurrentStateSpec,
    RequestId,
)
from ferrum_cli.errors import StaleHandle, UsageError
from ferrum_cli.live.layout import Slots, Storage


class Phase(Enum):
    """What has become of a state."""

    ACTIVE = "active"
    LEAVING = "leaving"
    """Its snapshot is under way; if that fails it is active again."""
    GONE = "gone"


ACTIVE, LEAVING, GONE = Phase


class StateHandle(RecurrentStateHandle):
    """The state of one request in `slots` of a storage.

    Views are made when asked for, and not after the state is gone; a view that a caller kept
    cannot be revoked. `number` counts the manager's allocations.
    """

    __slots__ = ("last_access", "live", "number", "phase", "slots", "spec", "storage")

    # Almost every handle has these values, so that only the others store their own.
    pins: int = 0
    priority: int = 0

    def __init__(
        self,
        spec: RecurrentStateSpec,
        storage: Storage,
        slots: Slots,
        number: int,
        live: OrderedDict[str, StateHandle],
    ) -> None:
        self.spec = spec
        self.storage = storage
        self.slots = slots
        self.number = number
        self.live = live
        self.phase = ACTIVE
        self.last_access = monotonic()

    def request_id(self) -> RequestId:
        """The request this state belongs to."""
        return self.spec.request_id

    def device(self) -> Device:
        """Where the state resides."""
        return self.spec.device

    def num_layers(self) -> int:
        """Model layers that this handle represents."""
        return self.spec.num_layers

    def state_bytes(self) -> int:
        """Bytes of the tensors in all slots, without padding."""
        return self.spec.estimated_memory_bytes()

    def clone_handle(self) -> StateHandle:
        """This handle: references are Python's own. Raises StaleHandle once the state is gone."""
        self._check_valid()
        return self

    def as_any(self) -> StateHandle:
        """This object."""
        return self

    def stats(self) -> RecurrentStateHandleStats:
        """Statistics; they stay readable when the state is gone."""
        spec = self.spec
        return RecurrentStateHandleStats(
            memory_bytes=spec.estimated_memory_bytes(),
            state_tensors=len(spec.tensors),
            batch_slots=spec.max_batch_slots,
            last_access=self.last_access,
        )

    def is_valid(self) -> bool:
        """Whether the state is there and may be used."""
        return self.phase is ACTIVE

    def cache_id(self) -> str:
        """Unique among all allocations of all managers."""
        return f"{self.storage.name}-{self.number}"

    def touch(self) -> None:
        """Note a use: this state is now the last to be evicted under `lru`.

        Raises StaleHandle.
        """
        self._check_valid()
        self.live.move_to_end(self.spec.request_id.uuid)
        self.last_access = monotonic()

    def views(self, slot: int = 0) -> tuple[torch.Tensor, ...]:
        """All tensors of the handle's n-th slot in as few views as the layout allows; a use.

        In an arena there is one view for each dtype and shape, [tensors, *shape]. Raises
        StaleHandle.
        """
        self.touch()
        return self.storage.views(self._slot(slot))

    def tensor(self, layer_index: int, name: str, slot: int = 0) -> torch.Tensor:
        """One tensor of the handle's n-th slot, with the spec's shape; a use.

        Raises StaleHandle, or UsageError for a tensor that the spec does not have.
        """
        self.touch()
        index = self.storage.layout.index_of.get((layer_index, name))
        if index is None:
            raise UsageError(f"layer {layer_index} has no state tensor {name!r}")
        return self.storage.tensor(self._slot(slot), index)

    def __repr__(self) -> str:
        return f"<{self.phase.value} state {self.cache_id()} of {self.spec.request_id}>"

    def _slot(self, number: int) -> int:
        if not 0 <= number < len(self.slots):
            raise UsageError(f"slot {number} of {len(self.slots)} does not exist")
        return self.slots[number]

    def _check_valid(self) -> None:
        if self.phase is not ACTIVE:
            raise StaleHandle(
                f"the state {self.cache_id()} was taken back",
                hint="ask the manager for the request's handle",
                where=str(self.spec.request_id),
            )
