"""An allocation for each tensor of each slot, made when the slot is taken.

It shows what the allocator makes of many small requests: it wastes, fragments, and may run out of
memory in the middle of a slot. It knows nothing about requests.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.device import Buffer, DeviceMemory
from ferrum_cli.live.layout._slot import SlotLayout
from ferrum_cli.live.layout._storage import Piece, Storage
from ferrum_cli.live.layout._typed import typed


class PerTensor(Storage):
    """At most `total` slots, whose memory comes and goes with them."""

    def __init__(self, device: DeviceMemory, layout: SlotLayout, total: int) -> None:
        super().__init__(device, layout, total)
        self._buffers: dict[int, list[Buffer]] = {}

    def take(self, count: int) -> tuple[int, ...]:
        """Allocate the tensors of `count` slots, or none of them."""
        slots = super().take(count)
        try:
            for slot in slots:
                self._fill_slot(slot)
        except Exception:
            self.give(slots)
            raise
        return slots

    def give(self, slots: Iterable[int]) -> None:
        """Free the tensors of the slots."""
        for slot in slots:
            buffers = self._buffers.get(slot, [])
            while buffers:
                self._release([buffers[-1]])
                buffers.pop()
            self._buffers.pop(slot, None)
            self.free.append(slot)

    def pieces(self, slot: int) -> tuple[Piece, ...]:
        """One piece for each tensor."""
        buffers = self._buffers[slot]
        found = [
            Piece(offset, buffer.region())
            for offset, buffer in zip(self.layout.offsets, buffers, strict=True)
            if buffer.size_bytes
        ]
        return tuple(sorted(found, key=lambda piece: piece.offset))

    def tensor(self, slot: int, index: int) -> torch.Tensor:
        """The tensor's own buffer."""
        spec = self.layout.tensors[index]
        return typed(self._buffers[slot][index].tensor, spec.dtype, spec.shape)

    def views(self, slot: int) -> tuple[torch.Tensor, ...]:
        """One view for each tensor."""
        return tuple([self.tensor(slot, index) for index in range(len(self.layout.tensors))])

    def close(self) -> None:
        """Free what is still taken."""
        self.give(list(self._buffers))

    def _fill_slot(self, slot: int) -> None:
        buffers = self._buffers[slot] = []
        sizes = self.layout.sizes
        for number, size in enumerate(sizes, start=1):
            try:
                buffers.append(self._acquire(size))
            except OutOfMemory as error:
                raise OutOfMemory(
                    f"tensor {number} of {len(sizes)}: {error.message}", hint=error.hint
                ) from None


STORAGE = PerTensor
