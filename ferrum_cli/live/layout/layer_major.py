"""One allocation for each tensor of the spec, [slots, *shape]: a layer's slots lie side by side.

It suits kernels that want a contiguous batch of slots; a slot is as many copies as it has tensors.
It knows nothing about requests.
"""

from __future__ import annotations

import torch

from ferrum_cli.live.device import Buffer, DeviceMemory
from ferrum_cli.live.layout._slot import SlotLayout
from ferrum_cli.live.layout._storage import Piece, Storage
from ferrum_cli.live.layout._typed import typed


class LayerMajor(Storage):
    """A slab for each tensor. Raises OutOfMemory if one of them does not fit, keeping none."""

    def __init__(self, device: DeviceMemory, layout: SlotLayout, total: int) -> None:
        super().__init__(device, layout, total)
        self._buffers: list[Buffer] = []
        try:
            for size in layout.sizes:
                self._buffers.append(self._acquire(size * total))
        except Exception:
            self._release(self._buffers)
            raise
        self._slabs = tuple(
            typed(buffer.tensor, tensor.dtype, (total, *tensor.shape))
            for buffer, tensor in zip(self._buffers, layout.tensors, strict=True)
        )

    def pieces(self, slot: int) -> tuple[Piece, ...]:
        """One piece for each tensor."""
        layout = self.layout
        found = [
            Piece(offset, buffer.region(slot * size, size))
            for offset, size, buffer in zip(
                layout.offsets, layout.sizes, self._buffers, strict=True
            )
            if size
        ]
        return tuple(sorted(found, key=lambda piece: piece.offset))

    def tensor(self, slot: int, index: int) -> torch.Tensor:
        """A row of the tensor's slab."""
        return self._slabs[index][slot]

    def views(self, slot: int) -> tuple[torch.Tensor, ...]:
        """One view for each tensor."""
        return tuple([slab[slot] for slab in self._slabs])

    def close(self) -> None:
        """Free every slab."""
        self._slabs = ()
        self._release(self._buffers)
        self._buffers = []


STORAGE = LayerMajor
