"""How many requests fit: memory − weights − overhead over state and KV of one request.

It knows nothing about serving engines' pools and pages.
"""

from __future__ import annotations

from ferrum_cli.blocks import Split
from ferrum_cli.engines._engine import (
    Answer,
    Capacity,
    LimitedBy,
    MemoryLine,
    Question,
)
from ferrum_cli.engines.native.figures import figures
from ferrum_cli.engines.native.layout import DTYPE_RULE
from ferrum_cli.engines.native.rank import Rank, ranks_of
from ferrum_cli.report import Finding, Level


def answer(question: Question) -> Answer:
    """Answer for the native engine. Raises ShardingError for a split that does not work."""
    ranks = ranks_of(question)
    first = ranks[0]
    capacity = _capacity(question, ranks)
    return Answer(
        engine="native",
        version=question.version,
        layout={
            "state_bytes_per_slot_per_rank": [rank.state_bytes for rank in ranks],
            "kv_bytes_per_token_per_rank": [rank.kv.bytes_per_token for rank in ranks],
            "weights_bytes_per_rank": [rank.weights_bytes for rank in ranks],
        },
        state=first.tensors,
        bytes_per_slot=first.state_bytes,
        dtype_source=DTYPE_RULE,
        kv=first.kv,
        capacity=capacity,
        memory=_memory_lines(question, _heaviest(question, ranks)),
        figures=figures(question, ranks, capacity),
        findings=_findings(question),
        reasons={
            "dtype": f"recurrent state FP32, the rest {question.model.description.dtype.name}",
            "padding": "none",
            "slots": "1 a request",
            "reserved": "nothing",
        },
    )


def _heaviest(question: Question, ranks: list[Rank]) -> Rank:
    """The rank that needs most memory for the requests asked for."""
    return max(ranks, key=lambda r: r.weights_bytes + r.request_bytes * question.requests)


def _capacity(question: Question, ranks: list[Rank]) -> Capacity:
    memory = question.machine.memory_bytes
    if memory is None:
        return Capacity(None, None, None, question.context)
    free = [memory - question.machine.overhead_bytes - rank.weights_bytes for rank in ranks]
    if min(free) <= 0:
        return Capacity(max(0, min(free)), 0, "memory", question.context)
    fitting = [
        (room // rank.request_bytes, room, rank)
        for room, rank in zip(free, ranks, strict=True)
        if rank.request_bytes
    ]
    if not fitting:
        return Capacity(min(free), None, None, question.context)
    most, room, rank = min(fitting, key=lambda item: item[0])
    limited_by: LimitedBy = "state" if rank.state_bytes > rank.kv.bytes_at_context else "kv"
    return Capacity(room, most * question.parallel.dp, limited_by, question.context)


def _memory_lines(question: Question, rank: Rank) -> tuple[MemoryLine, ...]:
    """The heaviest rank, line by line, for the requests of one replica."""
    requests = -(-question.requests // question.parallel.dp)
    tokens = f"{requests} × {question.context} tokens"
    return (
        MemoryLine("weights", rank.weights_bytes, question.weights.source),
        MemoryLine("recurrent state", rank.state_bytes * requests, f"{requests} × one slot"),
        MemoryLine("KV cache", rank.kv.bytes_at_context * requests, tokens),
        MemoryLine("overhead", question.machine.overhead_bytes, "--overhead", budgeted=False),
    )


def _findings(question: Question) -> tuple[Finding, ...]:
    """Heads that do not divide cost memory or are undefined, so it is said."""
    tp, description = question.parallel.tp, question.model.description
    axes = {
        weight.axis
        for name in description.blocks
        for weight in description.block_weights(name)
        if weight.axis.units % tp
    }
    queries = {axis.units for axis in axes if axis.split is Split.QUERY_HEADS}
    groups = {a.units for a in axes if a.split is Split.GROUPS and a.units > tp}
    return (
        *(_replicated(heads, tp) for heads in sorted(queries)),
        *(_uneven_groups(units, tp) for units in sorted(groups)),
    )


def _replicated(heads: int, tp: int) -> Finding:
    return Finding(
        Level.WARNING,
        "query-heads-replicated",
        f"{heads} attention heads do not divide by tp {tp}: every rank holds all of them",
        f"use a tp that divides {heads}",
    )


def _uneven_groups(units: int, tp: int) -> Finding:
    return Finding(
        Level.WARNING,
        "groups-do-not-divide",
        f"{units} groups do not divide by tp {tp}: one is counted on each rank, as Mamba-2's"
        " reference does, but vLLM refuses to load such a split",
        f"use a tp that divides {units}",
    )
