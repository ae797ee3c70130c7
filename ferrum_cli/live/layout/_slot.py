"""Where each tensor lies within a slot: grouped by dtype and shape, groups aligned, slots padded.

It is plain arithmetic: it knows nothing about devices, or how many slots there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ferrum_cli.contract import DataType, RecurrentStateTensorSpec

GROUP_ALIGNMENT = 256
"""What cudaMalloc aligns to at least, and kernels with vector loads rely on."""
SLOT_ALIGNMENT = 512
"""torch's own block size: no slot shares a block with another."""


@dataclass(frozen=True, slots=True)
class Group:
    """Tensors of one dtype and shape, one after another without gaps."""

    dtype: DataType
    shape: tuple[int, ...]
    start: int
    """Offset in the slot."""
    tensor_bytes: int
    members: tuple[int, ...]
    """Which tensors of the spec, in their order."""

    @property
    def size_bytes(self) -> int:
        """Bytes of all members."""
        return self.tensor_bytes * len(self.members)


@dataclass(frozen=True)
class SlotLayout:
    """One slot of a spec's tensors, packed. Snapshots have this form whatever the storage's is."""

    tensors: tuple[RecurrentStateTensorSpec, ...]
    groups: tuple[Group, ...]
    stride_bytes: int
    """From one slot to the next; the payload and all padding."""

    @classmethod
    def of(cls, tensors: tuple[RecurrentStateTensorSpec, ...]) -> SlotLayout:
        """Lay the tensors out, groups in the order of their first member."""
        members: dict[tuple[DataType, tuple[int, ...]], list[int]] = {}
        for index, tensor in enumerate(tensors):
            members.setdefault((tensor.dtype, tensor.shape), []).append(index)
        groups, end = [], 0
        for (dtype, shape), indices in members.items():
            size = tensors[indices[0]].num_elements() * dtype.size_bytes()
            group = Group(dtype, shape, _round_up(end, GROUP_ALIGNMENT), size, tuple(indices))
            groups.append(group)
            end = group.start + group.size_bytes
        return cls(tensors, tuple(groups), _round_up(end, SLOT_ALIGNMENT))

    @cached_property
    def payload_bytes(self) -> int:
        """Bytes of the tensors alone."""
        return sum(group.size_bytes for group in self.groups)

    @property
    def padding_bytes(self) -> int:
        """What alignment adds."""
        return self.stride_bytes - self.payload_bytes

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """For each tensor its group and its position in it."""
        found = {
            index: (number, position)
            for number, group in enumerate(self.groups)
            for position, index in enumerate(group.members)
        }
        return tuple(found[index] for index in range(len(self.tensors)))

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """For each tensor its offset in the slot."""
        return tuple(
            self.groups[number].start + position * self.groups[number].tensor_bytes
            for number, position in self.places
        )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """For each tensor its bytes."""
        return tuple(self.groups[number].tensor_bytes for number, _ in self.places)

    @cached_property
    def index_of(self) -> dict[tuple[int, str], int]:
        """Layer and name → which tensor of the spec."""
        return {(t.layer_index, t.name): index for index, t in enumerate(self.tensors)}


def _round_up(size: int, unit: int) -> int:
    return -(-size // unit) * unit
