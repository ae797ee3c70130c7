"""What a batch costs, and how many sequences fit beside the weights: nothing else is reserved.

It knows nothing about how parts become tensors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ferrum_cli.engines._engine import (
    Answer,
    Capacity,
    KeyValueBytes,
    LimitedBy,
    MemoryLine,
    Question,
    Reason,
)
from ferrum_cli.engines.transformers import advice, refusals
from ferrum_cli.engines.transformers.architectures import own_state
from ferrum_cli.engines.transformers.costs import Costs
from ferrum_cli.engines.transformers.figures import figures
from ferrum_cli.engines.transformers.key_value import cache_bytes
from ferrum_cli.engines.transformers.layout import dtype_source, state_tensors
from ferrum_cli.engines.transformers.options import VERSION, Chosen, choose, shown
from ferrum_cli.engines.transformers.weights import decay_tables, weights_bytes
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand import parameters
from ferrum_cli.report import Finding, Level


def answer(question: Question) -> Answer:
    """Answer for transformers. Raises ShardingError for more than one device a replica."""
    _check_devices(question)
    own = own_state(question.model.description.architecture)
    own_cache = own is not None and own.own_cache
    chosen = choose(question, own_cache)
    missing = refusals.not_recognized(question.model)
    if missing is not None:
        return _unknown_model(question, chosen, missing)
    costs = _costs(question, chosen, own_cache)
    refusal = refusals.cannot_run(question.model, chosen)
    capacity = _capacity(question, chosen, costs)
    if refusal is not None:
        capacity = replace(capacity, max_requests=None, limited_by=None)
    findings = advice.findings(question, chosen, own, capacity)
    return Answer(
        engine="transformers",
        version=question.version,
        layout=_layout(question, chosen, costs),
        state=costs.tensors,
        bytes_per_slot=costs.state,
        dtype_source=dtype_source(question.model),
        kv=costs.kv,
        capacity=capacity,
        memory=_memory_lines(question, chosen, costs),
        figures=figures(question, chosen, costs, own_cache, capacity),
        findings=(*_refused(refusal), *findings),
        refusal=refusal.words if refusal else None,
        options=shown(question, chosen),
        weights=replace(
            question.weights, bytes_per_rank=(costs.weights,), source=costs.weights_source
        ),
        reasons=_reasons(question, chosen, costs),
    )


def _reasons(question: Question, chosen: Chosen, costs: Costs) -> dict[Reason, str]:
    """Why figures differ from other engines'."""
    reserved = f"KV of {chosen.reserved_tokens} tokens a sequence" if chosen.static else "nothing"
    if not costs.tensors:
        dtype, padding, slots = f"KV {chosen.dtype.name}", "none", "none"
    else:
        dtype = f"{dtype_source(question.model)}; KV {chosen.dtype.name}"
        padding, slots = "a column more in most windows", "1 a sequence"
    return {"dtype": dtype, "padding": padding, "slots": slots, "reserved": reserved}


def _check_devices(question: Question) -> None:
    if question.parallel.tp * question.parallel.pp == 1:
        return
    raise ShardingError(
        f"how transformers {VERSION} splits a cache over devices is not known to Ferrum",
        hint="use one device for a replica, and --dp for several replicas",
        where="--tp" if question.parallel.tp > 1 else "--pp",
    )


def _unknown_model(question: Question, chosen: Chosen, missing: refusals.Refusal) -> Answer:
    """A model that transformers does not have: its arithmetic never begins."""
    return Answer(
        engine="transformers",
        version=question.version,
        layout={},
        state=(),
        bytes_per_slot=0,
        dtype_source=dtype_source(question.model),
        kv=KeyValueBytes(0, 0, 0),
        capacity=Capacity(None, None, None, chosen.seq_len),
        findings=_refused(missing),
        refusal=missing.words,
        options=shown(question, chosen),
    )


def _refused(refusal: refusals.Refusal | None) -> tuple[Finding, ...]:
    if refusal is None:
        return ()
    return (Finding(Level.ERROR, refusal.code, refusal.words, refusal.hint),)


def _costs(question: Question, chosen: Chosen, own_cache: bool) -> Costs:
    model = question.model
    weights, source = weights_bytes(question, chosen.dtype)
    return Costs(
        weights=weights,
        weights_source=source,
        decay_tables=decay_tables(model, chosen.dtype),
        tensors=state_tensors(model, chosen.dtype),
        kv=cache_bytes(model, chosen, windowless=own_cache),
    )


def _layout(question: Question, chosen: Chosen, costs: Costs) -> dict[str, Any]:
    """The cache of the whole batch, as transformers would show it."""
    batch = chosen.batch_size
    return {
        "state_tensors": [
            {
                "layer_index": tensor.layer_index,
                "name": tensor.name,
                "shape": [batch, *tensor.shape],
                "dtype": tensor.dtype.torch_name,
                "bytes": tensor.size_bytes * batch,
            }
            for tensor in costs.tensors
        ],
        "state_bytes": costs.state * batch,
        "kv_bytes": costs.kv.bytes_at_context * batch,
        "num_parameters": parameters(question.model.description).total,
    }


def _capacity(question: Question, chosen: Chosen, costs: Costs) -> Capacity:
    memory = question.machine.memory_bytes
    if memory is None:
        return Capacity(None, None, None, chosen.seq_len)
    free = memory - question.machine.overhead_bytes - costs.weights - costs.decay_tables
    if free <= 0:
        return Capacity(0, 0, "memory", chosen.seq_len)
    if not costs.sequence:
        return Capacity(free, None, None, chosen.seq_len)
    most = free // costs.sequence * question.parallel.dp
    limited_by: LimitedBy = "state" if costs.state > costs.kv.bytes_at_context else "kv"
    return Capacity(free, most, limited_by, chosen.seq_len)


def _memory_lines(question: Question, chosen: Chosen, costs: Costs) -> tuple[MemoryLine, ...]:
    """One replica with its share of the sequences asked for."""
    sequences = -(-question.requests // question.parallel.dp)
    tokens = chosen.reserved_tokens if chosen.static else chosen.seq_len
    kept = "reserved" if chosen.static else "seen"
    return (
        MemoryLine("weights", costs.weights, costs.weights_source),
        MemoryLine("decay tables", costs.decay_tables, "buffers of lightning attention"),
        MemoryLine("recurrent state", costs.state * sequences, f"{sequences} × one sequence"),
        MemoryLine(
            "KV cache",
            costs.kv.bytes_at_context * sequences,
            f"{sequences} × {tokens} tokens {kept}",
        ),
        MemoryLine("overhead", question.machine.overhead_bytes, "--overhead", budgeted=False),
    )
