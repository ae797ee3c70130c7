"""Figures of the contract's own rules with formula and source, for `--explain`.

It knows nothing about how the figures come about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ferrum_cli.blocks import KeyValue
from ferrum_cli.engines._engine import Capacity, Figure, Question
from ferrum_cli.engines._formula import by_rank, least, slot, summed
from ferrum_cli.engines.native.layout import DTYPE_RULE, token_bytes
from ferrum_cli.engines.native.rank import Rank
from ferrum_cli.expand import ExpandedLayer, stage_of_layers

_KV_RULE = "KV in the model's dtype; heads beyond tp are split, below it replicated"
_MEMORY_RULE = "memory − weights − overhead, over state and KV of one request"


def figures(question: Question, ranks: Sequence[Rank], capacity: Capacity) -> tuple[Figure, ...]:
    """Every figure of the first rank, of each rank, and of the capacity."""
    return (
        *_state(ranks),
        *_caches(question, ranks),
        *_per_rank(question, ranks),
        *_capacity(question, ranks, capacity),
    )


def _state(ranks: Sequence[Rank]) -> Iterator[Figure]:
    yield Figure("bytes_per_slot", ranks[0].state_bytes, slot(ranks[0].tensors), DTYPE_RULE)
    formulas = [slot(rank.tensors) for rank in ranks]
    states = [rank.state_bytes for rank in ranks]
    yield from by_rank("state_bytes_per_slot_per_rank", states, formulas, DTYPE_RULE)


def _caches(question: Question, ranks: Sequence[Rank]) -> Iterator[Figure]:
    kv, context = ranks[0].kv, question.context
    grown, windows = _tokens(question, 0)
    yield Figure("kv_bytes_per_token", kv.bytes_per_token, summed(grown, "layers", "B"), _KV_RULE)
    full = [size * window for size, window in windows]
    yield Figure("kv_window_bytes", kv.window_bytes, summed(full, "windows", "B"), _KV_RULE)
    held = [size * min(context, window) for size, window in windows]
    formula = f"{kv.bytes_per_token} B a token × {context} tokens"
    if held:
        formula += f" + {summed(held, 'windows', 'B')}"
    yield Figure("kv_bytes_at_context", kv.bytes_at_context, formula, _KV_RULE)


def _per_rank(question: Question, ranks: Sequence[Rank]) -> Iterator[Figure]:
    tokens = [rank.kv.bytes_per_token for rank in ranks]
    formulas = [summed(_tokens(question, n)[0], "layers", "B") for n in range(len(ranks))]
    yield from by_rank("kv_bytes_per_token_per_rank", tokens, formulas, _KV_RULE)
    weights = [rank.weights_bytes for rank in ranks]
    formulas = [f"{size} B of tensors on the rank" for size in weights]
    yield from by_rank("weights_bytes_per_rank", weights, formulas, question.weights.source)


def _capacity(question: Question, ranks: Sequence[Rank], capacity: Capacity) -> Iterator[Figure]:
    if capacity.available_bytes is None:
        return
    machine = question.machine
    rooms = [
        f"{machine.memory_bytes} B of memory − {machine.overhead_bytes} B of overhead"
        f" − {rank.weights_bytes} B of weights"
        for rank in ranks
    ]
    fullest = max(range(len(ranks)), key=lambda n: ranks[n].weights_bytes)
    formula = f"max(0 B, {rooms[fullest]})"
    if capacity.available_bytes:
        deciding = next(
            n for n in range(len(ranks)) if _room(question, ranks[n]) == capacity.available_bytes
        )
        formula = rooms[deciding]
    yield Figure("available_bytes", capacity.available_bytes, formula, _MEMORY_RULE)
    if capacity.max_requests is None:
        return
    formula = f"{capacity.available_bytes} B, which hold no request"
    if capacity.available_bytes:
        each = [
            f"({room}) // ({rank.state_bytes} B of state + {rank.kv.bytes_at_context} B of KV)"
            for room, rank in zip(rooms, ranks, strict=True)
            if rank.request_bytes
        ]
        formula = f"{least(each)} × {question.parallel.dp} replicas"
    yield Figure("max_requests", capacity.max_requests, formula, _MEMORY_RULE)


def _room(question: Question, rank: Rank) -> int:
    machine = question.machine
    return (machine.memory_bytes or 0) - machine.overhead_bytes - rank.weights_bytes


def _tokens(question: Question, stage: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Bytes of one token in each growing layer of a stage, and in each window with its length."""
    model, parallel = question.model, question.parallel
    indices = stage_of_layers(len(model.layers), parallel.pp)[stage]
    layers: Sequence[ExpandedLayer] = model.layers[indices.start : indices.stop]
    grown, windows = [], []
    for layer in layers:
        for _, cache in layer.caches:
            size = token_bytes(cache, parallel.tp, model.description.dtype)
            window = cache.window if isinstance(cache, KeyValue) else None
            if window is None:
                grown.append(size)
            else:
                windows.append((size, window))
    return grown, windows
