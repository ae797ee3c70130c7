"""One allocation, slot after slot: a slot is one copy, and all its views are one per group.

It costs least memory and least time; kernels must take the distance between slots as a parameter.
It knows nothing about requests.
"""

from __future__ import annotations

import torch

from ferrum_cli.live.device import DeviceMemory
from ferrum_cli.live.layout._slot import SlotLayout
from ferrum_cli.live.layout._storage import Piece, Storage
from ferrum_cli.live.layout._typed import contiguous_strides, strided


class Arena(Storage):
    """Slots at equal distances in one buffer."""

    def __init__(self, device: DeviceMemory, layout: SlotLayout, total: int) -> None:
        super().__init__(device, layout, total)
        self._buffer = self._acquire(layout.stride_bytes * total)
        self._pieces = tuple(self._piece(slot) for slot in range(total))
        self._groups = self._group_views()

    def pieces(self, slot: int) -> tuple[Piece, ...]:
        """All of a slot, padding included, in one piece."""
        return self._pieces[slot]

    def tensor(self, slot: int, index: int) -> torch.Tensor:
        """A select in the view of the tensor's group."""
        group, position = self.layout.places[index]
        return self._groups[group][slot, position]

    def views(self, slot: int) -> tuple[torch.Tensor, ...]:
        """One view for each group, [members, *shape]."""
        return tuple([group[slot] for group in self._groups])

    @property
    def held_bytes(self) -> int:
        """The buffer, padding included."""
        return self._buffer.size_bytes

    def close(self) -> None:
        """Free the one buffer."""
        self._groups = ()
        self._release([self._buffer])

    def _piece(self, slot: int) -> tuple[Piece, ...]:
        stride = self.layout.stride_bytes
        return (Piece(0, self._buffer.region(slot * stride, stride)),) if stride else ()

    def _group_views(self) -> tuple[torch.Tensor, ...]:
        """Views over all slots, [total, members, *shape]: made once, 100 µs each."""
        return tuple(
            strided(
                self._buffer.tensor,
                group.dtype,
                (self.total, len(group.members), *group.shape),
                (
                    self.layout.stride_bytes,
                    group.tensor_bytes,
                    *contiguous_strides(group.shape, group.dtype),
                ),
                group.start,
            )
            for group in self.layout.groups
        )


STORAGE = Arena
