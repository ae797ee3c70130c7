"""Bytes of the weights by where llama.cpp puts them: embedding, layers, output, routed experts.

The embedding stays in host memory; a tied one is copied to the output's device
(src/llama-model.cpp of 0c1e57098). It knows nothing about state or KV.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ferrum_cli.describe.description import Description, Layer
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.llama_cpp.placement import HOST, Placement

_ROUTED = "experts_"


@dataclass(frozen=True, slots=True)
class WeightParts:
    """Bytes of each part; `experts` are within `layers`."""

    embedding: int
    layers: tuple[int, ...]
    experts: tuple[int, ...]
    output: int
    """The output projection, or the copy of a tied embedding, and the last norm."""
    drafts: tuple[int, ...]
    known: bool
    source: str

    @property
    def total(self) -> int:
        """Bytes of the file but for drafts, a tied embedding counted once."""
        return self.embedding + sum(self.layers) + self.output


def weight_parts(question: Question) -> WeightParts:
    """The parts of a model's weights: measured in its file, or parameters × dtype."""
    description = question.model.description
    stored = description.stored_weights
    if stored is not None:
        drafts = len(question.model.draft_layers)
        copy = stored.embedding_bytes if description.tie_embeddings else 0
        return WeightParts(
            stored.embedding_bytes,
            stored.layer_bytes,
            stored.expert_bytes,
            stored.head_bytes + copy,
            tuple(stored.draft_bytes // drafts for _ in range(drafts)) if drafts else (),
            stored.known,
            stored.source,
        )
    return _counted(description, question.weights.source)


def _counted(description: Description, source: str) -> WeightParts:
    size = description.dtype.size_bytes
    table = description.vocab_size * description.hidden_size * size
    norm = description.norm_vectors * description.hidden_size * size
    drafts = description.draft.layers if description.draft else ()
    other = description.other_parameters * size
    whole = {x: size * _elements(description, x) for x in {*description.layers, *drafts}}
    routed = {x: size * _elements(description, x, _ROUTED) for x in set(description.layers)}
    return WeightParts(
        table,
        tuple(whole[layer] for layer in description.layers),
        tuple(routed[layer] for layer in description.layers),
        table + (norm if description.final_norm else 0) + other,
        tuple(whole[layer] for layer in drafts),
        True,
        source,
    )


def _elements(description: Description, layer: Layer, prefix: str = "") -> int:
    """Elements of the weights whose name begins with `prefix`; norms where it is empty."""
    norms = description.norm_vectors * description.hidden_size
    norms *= 2 if description.post_norm else 1
    found = 0 if prefix else norms * len(layer.entries)
    for name in layer.names:
        weights = description.block_weights(name)
        found += sum(w.elements for w in weights if w.name.startswith(prefix))
    return found


def bytes_by_device(
    parts: WeightParts, placement: Placement, *, cpu_experts: int, drafts: bool
) -> dict[int, int]:
    """Weights on every device and on the host (`HOST`).

    The routed experts of the first `cpu_experts` layers stay on the host.
    """
    found = dict.fromkeys((HOST, *range(placement.devices)), 0)
    found[HOST] += parts.embedding
    _add(found, placement, enumerate(parts.layers))
    for layer, size in enumerate(parts.experts[:cpu_experts]):
        if placement.weights_of(layer) != HOST:
            found[placement.weights_of(layer)] -= size
            found[HOST] += size
    found[placement.output] += parts.output
    if drafts:
        _add(found, placement, enumerate(parts.drafts, len(parts.layers)))
    return found


def _add(found: dict[int, int], placement: Placement, layers: Iterable[tuple[int, int]]) -> None:
    for layer, size in layers:
        found[placement.weights_of(layer)] += size
