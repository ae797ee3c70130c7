"""Figures of a batch with formula and source, for `--explain`.

It knows nothing about how the bytes come about.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import Capacity, Figure, Question
from ferrum_cli.engines._formula import slot, summed
from ferrum_cli.engines.transformers.costs import Costs
from ferrum_cli.engines.transformers.key_value import kept_tokens, position_bytes, tokens_by_layer
from ferrum_cli.engines.transformers.layout import dtype_source
from ferrum_cli.engines.transformers.options import VERSION, Chosen
from ferrum_cli.expand import parameters

_CACHES = f"transformers {VERSION}, cache_utils.py"
_MEMORY = "memory − overhead − weights, over state and KV of one sequence"


def figures(
    question: Question, chosen: Chosen, costs: Costs, windowless: bool, capacity: Capacity
) -> tuple[Figure, ...]:
    """Every figure of one sequence, of the batch, and of the capacity."""
    return (
        *_state(question, chosen, costs),
        *_caches(question, chosen, costs, windowless),
        *_capacity(question, costs, capacity),
        _parameters(question),
    )


def _state(question: Question, chosen: Chosen, costs: Costs) -> Iterator[Figure]:
    dtypes, batch = dtype_source(question.model), chosen.batch_size
    yield Figure("bytes_per_slot", costs.state, slot(costs.tensors), dtypes)
    formula = f"{costs.state} B × {batch} sequences of the batch"
    yield Figure("state_bytes", costs.state * batch, formula, dtypes)


def _caches(question: Question, chosen: Chosen, costs: Costs, windowless: bool) -> Iterator[Figure]:
    """Layers that grow, layers with windows, and the positions that an indexer keeps once."""
    kv, batch = costs.kv, chosen.batch_size
    layers = tokens_by_layer(question.model, chosen, windowless)
    positions = position_bytes(question.model)
    also = f" + {positions} B of positions" if positions else ""
    grown = summed((size for size, window in layers if window is None), "layers", "B")
    yield Figure("kv_bytes_per_token", kv.bytes_per_token, grown + also, _CACHES)
    full = summed((size * window for size, window in layers if window), "windows", "B")
    yield Figure("kv_window_bytes", kv.window_bytes, full, _CACHES)
    held = summed((size * kept_tokens(window, chosen) for size, window in layers), "layers", "B")
    also = f" + {positions} B of positions × {chosen.seq_len} tokens" if positions else ""
    reserved = ", reserved at once" if chosen.static else ""
    yield Figure("kv_bytes_at_context", kv.bytes_at_context, held + also + reserved, _CACHES)
    formula = f"{kv.bytes_at_context} B × {batch} sequences of the batch"
    yield Figure("kv_bytes", kv.bytes_at_context * batch, formula, _CACHES)


def _capacity(question: Question, costs: Costs, capacity: Capacity) -> Iterator[Figure]:
    machine, left = question.machine, capacity.available_bytes
    if left is None:
        return
    formula = (
        f"max(0 B, {machine.memory_bytes} B of memory − {machine.overhead_bytes} B of overhead"
        f" − {costs.weights} B of weights − {costs.decay_tables} B of decay tables)"
    )
    yield Figure("available_bytes", left, formula, _MEMORY)
    if capacity.max_requests is None:
        return
    each = f"({costs.state} B of state + {costs.kv.bytes_at_context} B of KV)"
    formula = f"{left} B // {each} × {question.parallel.dp} replicas"
    yield Figure("max_requests", capacity.max_requests, formula, _MEMORY)


def _parameters(question: Question) -> Figure:
    total = parameters(question.model.description).total
    source = f"transformers {VERSION}, the model on torch's meta device"
    return Figure("num_parameters", total, f"{total} parameters, see 'parameters'", source)
