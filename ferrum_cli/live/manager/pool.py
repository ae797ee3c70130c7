"""The storages of a manager: one for each set of tensors that its requests may have.

They are opened once, and all share the manager's budget. It knows nothing about requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ferrum_cli.contract import RecurrentStateSpec, RecurrentStateTensorSpec
from ferrum_cli.errors import DeviceLost, ResourceExhausted
from ferrum_cli.live.device import DeviceMemory
from ferrum_cli.live.layout import Storage, open_storage

Tensors = tuple[RecurrentStateTensorSpec, ...]

_REMEMBERED = 1024


class StatePool:
    """Slots on one device. `classes` gives for each set of tensors how many slots there are.

    The slots of all classes together may be more than the manager's budget lets anyone use.
    Raises OutOfMemory; then nothing is kept.
    """

    def __init__(
        self,
        device: DeviceMemory,
        classes: Iterable[tuple[Sequence[RecurrentStateTensorSpec], int]],
        layout: str = "arena",
    ) -> None:
        self.device = device
        self.where = device.where()
        self.layout = layout
        self._storages: dict[Tensors, Storage] = {}
        self._known: dict[int, tuple[Tensors, Storage]] = {}
        try:
            for tensors, slots in classes:
                key = tuple(tensors)
                self._storages[key] = open_storage(layout, device, key, slots)
        except Exception:
            self.close()
            raise

    @property
    def storages(self) -> tuple[Storage, ...]:
        """All of them, in the order they were opened."""
        return tuple(self._storages.values())

    @property
    def payload_bytes(self) -> int:
        """Bytes of all slots without padding: the largest budget that makes sense."""
        return sum(s.layout.payload_bytes * s.total for s in self.storages)

    @property
    def slots(self) -> int:
        """Slots of all classes."""
        return sum(storage.total for storage in self.storages)

    def storage_of(self, spec: RecurrentStateSpec) -> Storage:
        """Where a spec's slots are. Raises ResourceExhausted if they are nowhere here."""
        if spec.device != self.where:
            raise ResourceExhausted(f"the memory here is on {self.where}, not on {spec.device}")
        known = self._known.get(id(spec.tensors))
        if known is not None:
            return known[1]
        storage = self._storages.get(spec.tensors)
        if storage is None:
            raise ResourceExhausted(
                "there are no slots for these state tensors",
                hint="open the pool with every set of tensors that requests may have",
            )
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        # The tuple is kept, so that its identity cannot pass to another.
        self._known[id(spec.tensors)] = (spec.tensors, storage)
        return storage

    def reset(self, *, lost: bool) -> None:
        """Every slot is free; of a lost device nothing is asked."""
        for storage in self.storages:
            storage.reset(lost=lost)

    def close(self) -> None:
        """Give all memory back. A device that is lost has taken it along."""
        for storage in self.storages:
            try:
                storage.close()
            except DeviceLost:
                storage.reset(lost=True)
        self._storages.clear()
        self._known.clear()
