"""Slots in a device's memory: which are free, where their bytes lie, and views of them.

A storage holds the slots of one spec's tensors. It knows nothing about requests: whoever takes a
slot has it until it is given back.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch

from ferrum_cli.live.device import Buffer, DeviceMemory, Region, Stream
from ferrum_cli.live.layout._slot import SlotLayout


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive bytes of a slot: where they lie in the packed slot, and where on the device."""

    offset: int
    region: Region


Slots = tuple[int, ...]
"""Numbers of slots."""


class Storage(ABC):
    """`total` slots of one layout on a device; `free` are those that nobody has, one by one.

    `take_one` and `give_one` are `take` and `give` for one slot, without a call in between.
    """

    take_one: Callable[[], Slots]
    give_one: Callable[[Slots], None]

    def __init__(self, device: DeviceMemory, layout: SlotLayout, total: int) -> None:
        self.device = device
        self.layout = layout
        self.total = total
        self.tensors = len(layout.tensors)
        self.promised = 0
        """Free slots that are kept for an operation under way."""
        self.name = secrets.token_hex(4)
        """Random, so that states can be told apart over all storages there ever are."""
        self.free: deque[Slots] = deque((slot,) for slot in range(total))
        self.take_one = self.free.popleft
        self.give_one = self.free.append

    @abstractmethod
    def pieces(self, slot: int) -> tuple[Piece, ...]:
        """The bytes of a slot, in the order of the packed slot."""

    @abstractmethod
    def tensor(self, slot: int, index: int) -> torch.Tensor:
        """One tensor of the spec, with its own shape."""

    @abstractmethod
    def views(self, slot: int) -> tuple[torch.Tensor, ...]:
        """All tensors of a slot in as few views as the storage allows."""

    @property
    def held_bytes(self) -> int:
        """What it has allocated on the device; the same all the time, unless it says otherwise."""
        return self.layout.payload_bytes * self.total

    @abstractmethod
    def close(self) -> None:
        """Give all memory back to the device."""

    def take(self, count: int) -> Slots:
        """`count` free slots, the longest unused first. Raises OutOfMemory, all or nothing."""
        assert count <= len(self.free)  # noqa: S101 - the manager has counted
        return tuple(self.free.popleft()[0] for _ in range(count))

    def give(self, slots: Iterable[int]) -> None:
        """Take slots back."""
        self.free.extend((slot,) for slot in slots)

    def reset(self, *, lost: bool) -> None:
        """Every slot is free; of a lost device nothing is asked."""
        del lost
        self.promised = 0
        self.free.clear()
        self.free.extend((slot,) for slot in range(self.total))

    def zero(self, slots: Iterable[int]) -> None:
        """Set slots to zero in the caller's order."""
        for slot in slots:
            for piece in self.pieces(slot):
                self.device.fill(piece.region, 0, Stream.COMPUTE)

    def _acquire(self, size_bytes: int) -> Buffer:
        """Memory of the device; tensors without elements have none."""
        if size_bytes == 0:
            return Buffer(0, torch.empty(0, dtype=torch.uint8))
        return self.device.allocate(size_bytes)

    def _release(self, buffers: Iterable[Buffer]) -> None:
        for buffer in buffers:
            if buffer.size_bytes:
                self.device.free(buffer)
