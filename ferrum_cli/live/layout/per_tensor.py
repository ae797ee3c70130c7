"""An allocation for each tensor of each slot, made when the slot is taken.

It shows what the allocator makes of many small requests: it wastes, fragments, and may run out of
memory in the middle of a slot. It knows nothing about requests.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import torch

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.device import Buffer, DeviceMemory
from ferrum_cli.live.layout._slot import SlotLayout
from ferrum_cli.live.layout._storage import Piece, Slots, Storage
from ferrum_cli.live.layout._typed import typed


class PerTensor(Storage):
    """At most `total` slots, whose memory comes and goes with them."""

    def __init__(self, device: DeviceMemory, layout: SlotLayout, total: int) -> None:
        super().__init__(device, layout, total)
        self._buffers: dict[int, list[Buffer]] = {}
        self.take_one = partial(self.take, 1)
        self.give_one = self.give

    def take(self, count: int) -> Slots:
        """Allocate the tensors of `count` slots, or none of them."""
        slots = super().take(count)
        try:
            for slot in slots:
                self._fill_slot(slot)
        except OutOfMemory:
            self.give(slots)
            raise
        except Exception:
            # The device takes nothing back any more.
            super().give(slots)
            raise
        return slots

    def give(self, slots: Iterable[int]) -> None:
        """Free the tensors of the slots."""
        slots = list(slots)
        # The slots are free even if the device is lost while it frees their memory.
        super().give(slots)
        for slot in slots:
            self._release(self._buffers.pop(slot, []))

    def reset(self, *, lost: bool) -> None:
        """Free the tensors of all slots; a lost device has taken them along."""
        if lost:
            self._buffers.clear()
        self.give(list(self._buffers))
        super().reset(lost=lost)

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

    @property
    def held_bytes(self) -> int:
        """The tensors of the slots that are taken."""
        return sum(b.size_bytes for buffers in self._buffers.values() for b in buffers)

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
