"""What a command hands over: a slot's tensors, and which block of which kind keeps which of them.

It knows nothing about where they come from, or about how they are laid out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ferrum_cli.contract import Device, RecurrentStateSpec, RecurrentStateTensorSpec, RequestId
from ferrum_cli.live.recurrences import BlockState
from ferrum_cli.quantity import saturating_add, saturating_mul

Tensors = tuple[RecurrentStateTensorSpec, ...]
SCALED_BYTES = 4 * 2**20
"""What drills take for one slot at most, unless they are to run at full size."""


@dataclass(frozen=True, slots=True)
class StateModel:
    """The recurrent state of one slot on one device."""

    name: str
    num_layers: int
    tensors: Tensors
    blocks: tuple[BlockState, ...]

    @property
    def slot_bytes(self) -> int:
        """Bytes of one slot, without padding."""
        total = 0
        for tensor in self.tensors:
            size = saturating_mul(tensor.num_elements(), tensor.dtype.size_bytes())
            total = saturating_add(total, size)
        return total

    def spec(self, request_id: RequestId, slots: int, device: Device) -> RecurrentStateSpec:
        """What a request of so many slots asks for."""
        return RecurrentStateSpec(
            request_id=request_id,
            num_layers=self.num_layers,
            tensors=self.tensors,
            device=device,
            max_batch_slots=slots,
        )


def scaled(model: StateModel, limit_bytes: int = SCALED_BYTES) -> StateModel:
    """The model with fewer layers and heads, so that a slot has at most `limit_bytes`.

    Of each sort of layer one stays; leading dimensions, which are heads or channels, are halved
    together until they fit, and then all others, so that tensors of one block still match. A model
    that is small enough stays as it is.
    """
    if model.slot_bytes <= limit_bytes:
        return model
    found = _with_layers(model, set(_one_of_each_sort(model)))
    while found.slot_bytes > limit_bytes and (halved := _halved(found)) != found:
        found = halved
    return found


def _one_of_each_sort(model: StateModel) -> Iterator[int]:
    """The first layer of each that has other tensors or other kinds of block."""
    seen: set[object] = set()
    for layer in dict.fromkeys(tensor.layer_index for tensor in model.tensors):
        shapes = [(t.name, t.shape, t.dtype) for t in model.tensors if t.layer_index == layer]
        kinds = [block.kind for block in model.blocks if block.layer_index == layer]
        sort = (tuple(shapes), tuple(kinds))
        if sort not in seen:
            seen.add(sort)
            yield layer


def _with_layers(model: StateModel, layers: set[int]) -> StateModel:
    kept = [i for i, tensor in enumerate(model.tensors) if tensor.layer_index in layers]
    place = {old: new for new, old in enumerate(kept)}
    blocks = (
        BlockState(b.layer_index, b.kind, {name: place[i] for name, i in b.tensors.items()})
        for b in model.blocks
        if b.layer_index in layers
    )
    tensors = tuple(model.tensors[i] for i in kept)
    return StateModel(model.name, model.num_layers, tensors, tuple(blocks))


def _halved(model: StateModel) -> StateModel:
    """Token ids are not halved: there are few of them, and two words make one."""
    numbers = [t for t in model.tensors if t.dtype.is_float()]
    leading = any(t.shape and t.shape[0] > 1 for t in numbers)
    axes = slice(0, 1) if leading else slice(1, None)
    tensors = tuple(_halve(t, axes) if t.dtype.is_float() else t for t in model.tensors)
    return StateModel(model.name, model.num_layers, tensors, model.blocks)


def _halve(tensor: RecurrentStateTensorSpec, axes: slice) -> RecurrentStateTensorSpec:
    shape = list(tensor.shape)
    shape[axes] = [max(1, size // 2) for size in shape[axes]]
    return RecurrentStateTensorSpec.new(tensor.layer_index, tensor.name, shape, tensor.dtype)
