"""Which layers SGLang takes for state layers and for attention, and how it deals them to stages.

Where an architecture ignores what the configuration says about its layers, so does this. It knows
nothing about shapes or bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ferrum_cli.blocks import KeyValue, Latent
from ferrum_cli.engines.sglang.architectures import FALLS_BACK, Architecture, Layers
from ferrum_cli.expand import Expanded
from ferrum_cli.expand.layers import ExpandedLayer, Placed

SIDE_STATE = ("ngram_context",)
"""Kinds whose state SGLang keeps in pools of its own, beside the slots."""


@dataclass(frozen=True, slots=True)
class ModelLayers:
    """Layers by number, as SGLang counts them."""

    count: int
    state: tuple[int, ...]
    attention: tuple[int, ...]
    """Layers whose KV grows with the sequence; includes windows that have no pool of their own."""
    windows: tuple[int, ...] = ()
    """Layers in the pool of sliding windows."""
    mixer: Placed | None = None
    """The block whose state a slot holds."""

    def state_on(self, stage: range) -> int:
        """State layers of a pipeline stage."""
        return sum(1 for layer in self.state if layer in stage)


def model_layers(model: Expanded, row: Architecture) -> ModelLayers:
    """The layers of a model by the rule of its architecture."""
    if model.description.architecture in FALLS_BACK:
        # The transformers implementation keeps its state where SGLang knows nothing of it.
        return ModelLayers(len(model.layers), (), tuple(range(len(model.layers))))
    mixers = {layer.index: _mixer(layer) for layer in model.layers}
    mixer = next((placed for placed in mixers.values() if placed is not None), None)
    stated = tuple(index for index, placed in mixers.items() if placed is not None)
    caches = tuple(layer.index for layer in model.layers if _grows(layer))
    count = len(model.layers)
    match row.layers if mixer is not None else Layers.DESCRIBED:
        case Layers.INTERVAL:
            step = model.description.hints.full_attention_interval
            return (
                _every(count, step, mixer)
                if step
                else ModelLayers(count, stated, caches, (), mixer)
            )
        case Layers.GROUPS:
            step = model.description.hints.layer_group_size
            return (
                _every(count, step, mixer)
                if step
                else ModelLayers(count, stated, caches, (), mixer)
            )
        case Layers.EVEN:
            count *= 2 if model.description.hints.legacy_layers else 1
            even = tuple(range(0, count, 2))
            return ModelLayers(count, even, even, (), mixer)
        case Layers.DESCRIBED:
            windows = _windows(model) if row.hybrid_window else ()
            full = tuple(index for index in caches if index not in windows)
            return ModelLayers(count, stated, full, windows, mixer)


def _every(count: int, step: int, mixer: Placed | None) -> ModelLayers:
    """Every `step`-th layer is attention, all others keep state."""
    attention = tuple(range(step - 1, count, step))
    state = tuple(index for index in range(count) if (index + 1) % step)
    return ModelLayers(count, state, attention, (), mixer)


def _mixer(layer: ExpandedLayer) -> Placed | None:
    found = (p for p in layer.placed if p.state and p.block.kind not in SIDE_STATE)
    return next(found, None)


def _grows(layer: ExpandedLayer) -> bool:
    return any(isinstance(cache, KeyValue | Latent) for _, cache in layer.caches)


def _windows(model: Expanded) -> tuple[int, ...]:
    return tuple(
        layer.index
        for layer in model.layers
        if any(isinstance(cache, KeyValue) and cache.window for _, cache in layer.caches)
    )


def stages(count: int, pp: int, partition: Sequence[int] | None = None) -> tuple[range, ...]:
    """Layers of each stage; what does not divide goes to the last ones.

    SGLang 0.5.23, distributed/utils.py: get_pp_indices.
    """
    share, left = divmod(count, pp)
    sizes = partition or [share + (stage >= pp - left) for stage in range(pp)]
    starts = [sum(sizes[:stage]) for stage in range(pp + 1)]
    return tuple(range(starts[stage], starts[stage + 1]) for stage in range(pp))
