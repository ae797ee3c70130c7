"""Parameters of a model and bytes of its weights on each rank, from the description alone.

Checkpoints whose files are at hand are measured elsewhere; quantized weights are not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ferrum_cli.blocks import Axis, Split, Weight, whole
from ferrum_cli.describe.description import Description, Layer
from ferrum_cli.expand.sharding import Parallel, units_on_rank
from ferrum_cli.expand.stages import stage_of_layers


@dataclass(frozen=True, slots=True)
class Parameters:
    """Counts of parameters. `total` is the language model as transformers builds it."""

    total: int
    active: int
    vision: int
    draft: int


def parameters(model: Description) -> Parameters:
    """Count the parameters of the language model, those of one token, of vision and of drafts."""
    outside = [*_embedding(model), *_head(model)]
    inside = list(_stack_weights(model))
    return Parameters(
        total=sum(w.elements for w in (*outside, *inside)) + model.other_parameters,
        active=_active(model, inside) + model.other_parameters,
        vision=model.vision_parameters,
        draft=_draft_parameters(model),
    )


def counted_parameters(model: Description) -> Iterator[tuple[str, int, int]]:
    """What the total is made of: a part's name, how often it is counted, parameters of one."""
    yield "embedding", 1 if model.tie_embeddings else 2, model.vocab_size * model.hidden_size
    layers = [layer for span in model.spans for layer in span.layers]
    times: dict[str, int] = {}
    norms, counted = 0, set[str]()
    for entry in (entry for layer in layers for entry in layer.entries):
        new = [name for name in entry if not (model.blocks[name].shared and name in counted)]
        counted.update(entry)
        norms += bool(new) * (2 if model.post_norm else 1)
        for name in new:
            times[name] = times.get(name, 0) + 1
    for name, count in times.items():
        yield name, count, sum(w.elements for w in model.block_weights(name))
    yield "norm", norms + model.final_norm, model.norm_vectors * model.hidden_size
    yield "other", 1, model.other_parameters


def weight_bytes_per_rank(
    model: Description, parallel: Parallel, expert_ranks: int | None = None
) -> tuple[int, ...]:
    """Bytes of the weights on the first tensor-parallel rank of each pipeline stage.

    Embeddings split by vocabulary, heads and columns over the ranks, KV heads replicated beyond
    their number, norms replicated; vision and other weights stand on every rank of the first
    stage. Tied embeddings stand on the first and the last stage. Routed experts split over
    `expert_ranks` where an engine has more of them than tensor-parallel ranks.
    """
    stages = stage_of_layers(model.num_layers, parallel.pp)
    totals = []
    for stage in stages:
        held = list(_layers_weights(model, _stored_once(model, stage), set()))
        experts = [w for w in held if w.copies > 1] if expert_ranks is not None else []
        others = [w for w in held if w not in experts]
        split = sum(-(-w.elements // (expert_ranks or 1)) for w in experts)
        totals.append(_on_rank(others, parallel.tp) + split)
    totals[0] += _on_rank(_embedding(model), parallel.tp)
    totals[0] += model.other_parameters + model.vision_parameters
    head = _head(model) if parallel.pp == 1 or not model.tie_embeddings else _embedding(model)
    totals[-1] += _on_rank(head, parallel.tp) + _final_norm(model)
    return tuple(total * model.dtype.size_bytes for total in totals)


def _stored_once(model: Description, stage: range) -> list[Layer]:
    """The layers whose weights a stage holds, each once however often it runs there."""
    origins: list[tuple[int, int]] = []
    for number, span in enumerate(model.spans):
        origins += [(number, place) for place in range(len(span.layers))] * span.passes
    stored = dict.fromkeys(origins[index] for index in stage)
    return [model.spans[number].layers[place] for number, place in stored]


def _embedding(model: Description) -> list[Weight]:
    rows = Axis(model.vocab_size, split=Split.COLUMNS)
    return [Weight("embedding", model.hidden_size, rows)]


def _head(model: Description) -> list[Weight]:
    return [] if model.tie_embeddings else _embedding(model)


def _final_norm(model: Description) -> int:
    return model.norm_vectors * model.hidden_size if model.final_norm else 0


def _stack_weights(model: Description) -> Iterator[Weight]:
    """All layers, each repeated layer once, and the final norm."""
    once = [layer for span in model.spans for layer in span.layers]
    yield from _layers_weights(model, once, set())
    yield whole("final_norm", _final_norm(model))


def _layers_weights(
    model: Description, layers: Iterable[Layer], counted: set[str]
) -> Iterator[Weight]:
    """Norms and blocks of `layers`; a shared block that is already in `counted` weighs nothing."""
    norms = whole("norms", model.norm_vectors * model.hidden_size * (2 if model.post_norm else 1))
    for layer in layers:
        for entry in layer.entries:
            new = [n for n in entry if not (model.blocks[n].shared and n in counted)]
            if new:  # the norm before blocks that are all shared is shared with them
                yield norms
            counted.update(entry)
            for name in new:
                yield from model.block_weights(name)


def _active(model: Description, inside: list[Weight]) -> int:
    """Weights that one token meets: the head (or the tied embedding that serves as it) once."""
    head = model.vocab_size * model.hidden_size
    return sum(weight.active_elements for weight in inside) + head


def _draft_parameters(model: Description) -> int:
    """Layers, and for each draft a projection of 2·H to H with two norms and a final norm.

    DeepSeek-V3 technical report, arXiv 2412.19437, section 2.2: multi-token prediction modules.
    """
    if model.draft is None:
        return 0
    hidden = model.hidden_size
    layers = sum(w.elements for w in _layers_weights(model, model.draft.layers, set()))
    own = 0 if model.draft.shares_embeddings else 2 * model.vocab_size * hidden
    return layers + 2 * hidden * hidden + 3 * hidden + own


def _on_rank(weights: Iterable[Weight], tp: int) -> int:
    return sum(w.copies * w.rows * units_on_rank(w.axis, tp) * w.axis.width for w in weights)
