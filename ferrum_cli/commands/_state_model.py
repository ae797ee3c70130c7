"""A description as real memory wants it: the state tensors of one rank, and the blocks they are of.

It is the one place where models meet real memory, which knows none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ferrum_cli.contract import RecurrentStateTensorSpec, contract_tensor
from ferrum_cli.engines.native.layout import state_tensors
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import (
    Expanded,
    ExpandedLayer,
    Parallel,
    check_parallel,
    expand,
    stage_of_layers,
)

if TYPE_CHECKING:
    from ferrum_cli.describe.description import Description
    from ferrum_cli.live.model import StateModel
    from ferrum_cli.live.recurrences import BlockState


def state_model(description: Description, tp: int = 1, pp: int = 1) -> StateModel:
    """The state of one slot on the rank that has most of it, by the contract's rules.

    Raises UsageError for a model that keeps no recurrent state, ShardingError for an impossible
    split.
    """
    from ferrum_cli.live.model import StateModel

    model = expand(description)
    check_parallel(model, Parallel(tp, pp))
    if not model.state_layers:
        raise UsageError(
            f"{description.name} keeps no recurrent state",
            hint="'ferrum models list' shows models that do",
            where="MODEL",
        )
    ranks = [
        StateModel(description.name, len(layers), *_state(model, layers, tp))
        for layers in (
            model.layers[span.start : span.stop] for span in stage_of_layers(len(model.layers), pp)
        )
    ]
    return max(ranks, key=lambda rank: rank.slot_bytes)


def _state(
    model: Expanded, layers: tuple[ExpandedLayer, ...], tp: int
) -> tuple[tuple[RecurrentStateTensorSpec, ...], tuple[BlockState, ...]]:
    """Tensors in the native engine's order, and for each block in each layer those it keeps."""
    from ferrum_cli.live.recurrences import BlockState

    found = state_tensors(layers, tp, model.description.dtype)
    tensors = tuple(contract_tensor(t.layer_index, t.name, t.shape, t.dtype) for t in found)
    blocks, index = [], 0
    for layer in layers:
        for placed in layer.placed:
            names = {part.name: index + i for i, part in enumerate(placed.state)}
            index += len(names)
            if names:
                blocks.append(BlockState(layer.index, placed.block.kind, names))
    return tensors, tuple(blocks)
