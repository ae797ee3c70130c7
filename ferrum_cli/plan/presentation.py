"""Plans as reports: the answer in one sentence, and the tables that explain it.

It knows nothing about output formats.
"""

from __future__ import annotations

from collections.abc import Sequence

from ferrum_cli.plan.advice_shown import command_line, tried_table
from ferrum_cli.plan.comparison import compare, provenance, subject
from ferrum_cli.plan.document import document
from ferrum_cli.plan.explain import explanation
from ferrum_cli.plan.result import Plan, Verdict
from ferrum_cli.quantity import format_bytes, format_tokens
from ferrum_cli.report import Cell, Report, Table, Unit, cell, table


def present(plans: Sequence[Plan], explain: str | None = None) -> Report:
    """One plan in full, or several side by side."""
    if len(plans) > 1:
        return compare(plans, explain)
    plan = plans[0]
    tables = [_memory(plan), _host(plan), _state(plan), _limits(plan)]
    line = None
    if plan.advice is not None:
        line = command_line(plan.advice)
        tables.append(tried_table(plan.advice, plan.question))
    if explain is not None:
        tables.append(explanation(plan, explain))
    return Report(
        answer=answer_sentence(plan),
        data=document(plan),
        tables=tuple(t for t in tables if t.rows),
        findings=plan.findings,
        notes=(provenance(plan),),
        commands=(line,) if line is not None else (),
    )


def answer_sentence(plan: Plan) -> str:
    """What a person acts on: how many requests fit and what stops the next one."""
    name, context = subject(plan), format_tokens(plan.answer.capacity.context)
    if plan.verdict is Verdict.REFUSED:
        return f"{name} does not start: {plan.answer.refusal}"
    if plan.budget is not None:
        return _budget_sentence(plan)
    most = plan.answer.capacity.max_requests
    if most is None:
        return _costs_sentence(plan)
    if most == 0 and plan.answer.capacity.limited_by == "memory":
        return f"{name} does not fit: weights and overhead leave no memory for a request."
    fit = (
        f"{_many(most, 'request')} of {context} tokens {'fits' if most == 1 else 'fit'} with {name}"
    )
    stop = _STOPS.get(plan.answer.capacity.limited_by or "", "nothing stops the next one")
    wanted = plan.question.requests
    if plan.verdict is Verdict.DOES_NOT_FIT:
        verb = "does" if wanted == 1 else "do"
        return f"{_many(wanted, 'request')} {verb} not fit: {fit}; {stop}."
    return f"{fit}; {stop}."


_STOPS = {
    "state": "recurrent state stops the next one",
    "kv": "KV cache stops the next one",
    "slots": "state slots stop the next one",
    "max_num_seqs": "max_num_seqs stops the next one",
    "memory": "memory stops the next one",
}


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _costs_sentence(plan: Plan) -> str:
    """No memory was given: what one request costs."""
    answer = plan.answer
    parts = []
    if answer.bytes_per_slot:
        parts.append(f"{format_bytes(answer.bytes_per_slot)} of recurrent state")
    if answer.kv.bytes_at_context:
        tokens = format_tokens(answer.capacity.context)
        parts.append(f"{format_bytes(answer.kv.bytes_at_context)} of KV cache at {tokens} tokens")
    cost = " and ".join(parts) or "no memory"
    return (
        f"One request of {subject(plan)} costs {cost} on each device; with --memory Ferrum says"
        " how many fit."
    )


def _budget_sentence(plan: Plan) -> str:
    budget = plan.budget
    assert budget is not None  # noqa: S101 - the caller asked
    need, limit = format_bytes(budget.needed_bytes), format_bytes(budget.limit_bytes)
    asked = f"{_many(plan.question.requests, 'request')} of {format_tokens(plan.question.context)}"
    verb = "needs" if plan.question.requests == 1 else "need"
    if budget.holds:
        spare = format_bytes(budget.limit_bytes - budget.needed_bytes)
        return (
            f"The budget holds: {asked} tokens {verb} {need} of {limit} with {subject(plan)};"
            f" {spare} are left."
        )
    over = budget.needed_bytes - budget.limit_bytes
    remedies = " or ".join(budget.remedies)
    mend = f"it holds with {remedies}" if remedies else "no smaller request makes it hold"
    return (
        f"The budget is exceeded by {format_bytes(over)} ({over} bytes): {asked} tokens {verb}"
        f" {need}, the limit is {limit}; {mend}."
    )


def _memory(plan: Plan) -> Table:
    lines = [line for line in plan.answer.memory if not line.host]
    total = sum(line.size_bytes for line in lines)
    rows = [
        (
            cell(line.name),
            cell(line.size_bytes, Unit.BYTES),
            cell(line.size_bytes / total if total else 0.0, Unit.PERCENT),
            cell(line.formula),
        )
        for line in lines
        if line.size_bytes
    ]
    rows.append((cell("total"), cell(total, Unit.BYTES), cell(1.0, Unit.PERCENT), cell("")))
    return table("Memory of one device", ("line", "bytes", "share", "how"), rows)


def _host(plan: Plan) -> Table:
    """What lies or may come to lie in the host's memory; it has no total."""
    rows = [
        (cell(line.name), cell(line.size_bytes, Unit.BYTES), cell(line.formula))
        for line in plan.answer.memory
        if line.host and line.size_bytes
    ]
    return table("Host memory", ("line", "bytes", "how"), rows)


def _state(plan: Plan) -> Table:
    """Tensors of one slot, gathered by kind of block, name, shape and dtype."""
    kinds = {layer.index: layer for layer in plan.question.model.layers}
    gathered: dict[tuple[str, str, str, str], list[int]] = {}
    for tensor in plan.answer.state:
        layer = kinds.get(tensor.layer_index)
        kind = next((p.block.kind for p in layer.placed if p.state), "") if layer else ""
        shape = " × ".join(str(size) for size in tensor.shape)
        key = (kind, tensor.name, shape, tensor.dtype.name)
        gathered.setdefault(key, []).append(tensor.size_bytes)
    rows = [
        (*(cell(text) for text in key), cell(len(sizes), Unit.COUNT), cell(sum(sizes), Unit.BYTES))
        for key, sizes in gathered.items()
    ]
    headings = ("kind", "tensor", "shape", "dtype", "layers", "bytes")
    return table("Recurrent state of one slot", headings, rows)


def _limits(plan: Plan) -> Table:
    capacity = plan.answer.capacity
    rows: list[tuple[Cell, Cell]] = [
        (cell("KV cache for each token"), cell(plan.answer.kv.bytes_per_token, Unit.EXACT_BYTES)),
    ]
    if plan.answer.kv.window_bytes:
        rows.append((cell("windows, full"), cell(plan.answer.kv.window_bytes, Unit.BYTES)))
    if capacity.available_bytes is not None:
        rows.append((cell("left after weights"), cell(capacity.available_bytes, Unit.BYTES)))
    if capacity.max_requests is not None:
        rows.append((cell("requests that fit"), cell(capacity.max_requests, Unit.COUNT)))
        rows.append((cell("limited by"), cell(capacity.limited_by)))
    return table("What limits", ("figure", "value"), rows)
