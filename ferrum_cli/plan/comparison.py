"""Several plans side by side, and why they differ.

It knows nothing about output formats, nor about an engine's rules: engines say their own reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from ferrum_cli.engines import Reason
from ferrum_cli.plan.document import document
from ferrum_cli.plan.explain import explanation
from ferrum_cli.plan.result import Plan
from ferrum_cli.report import Cell, Finding, Level, Report, Table, Unit, cell, table

_TITLE = "Comparison: state and KV of one request, weights of one device, requests that fit"
_HEADINGS = (
    "model",
    "engine",
    "state",
    "KV/token",
    "KV",
    "context",
    "weights",
    "requests",
    "limit",
    "verdict",
)


def compare(plans: Sequence[Plan], explain: str | None = None) -> Report:
    """One row a plan; with several engines also a table of the reasons."""
    compared = table(_TITLE, _HEADINGS, [_row(plan) for plan in plans])
    explained = [explanation(plan, explain) for plan in plans] if explain is not None else []
    return Report(
        answer=_answer(plans),
        data=[document(plan) for plan in plans],
        tables=(compared, *_reasons(plans), *explained),
        findings=_findings(plans),
        notes=tuple(dict.fromkeys(provenance(plan) for plan in plans)),
    )


def subject(plan: Plan) -> str:
    """The model, and how it is split."""
    description, parallel = plan.question.model.description, plan.question.parallel
    split = [
        f"{word} {n}"
        for word, n in (("tp", parallel.tp), ("pp", parallel.pp), ("dp", parallel.dp))
        if n > 1
    ]
    where = f" at {' '.join(split)}" if split else ""
    return f"{description.name}{where}"


def provenance(plan: Plan) -> str:
    """Engine, version and source behind a plan's numbers."""
    answer, weights = plan.answer, plan.weights
    return (
        f"{answer.engine} {answer.version}; state: {answer.dtype_source}; weights: {weights.source}"
    )


def _answer(plans: Sequence[Plan]) -> str:
    """The plan that serves most, where memory was given."""
    counted = [p for p in plans if p.answer.capacity.max_requests is not None]
    if len(counted) < len(plans):
        return f"{len(plans)} plans side by side."
    best, least = (
        choose(counted, key=lambda p: p.answer.capacity.max_requests or 0) for choose in (max, min)
    )
    most, fewest = (p.answer.capacity.max_requests for p in (best, least))
    return (
        f"{len(plans)} plans side by side: from {fewest} requests ({_short(least)}) to {most}"
        f" ({_short(best)})."
    )


def _findings(plans: Sequence[Plan]) -> tuple[Finding, ...]:
    """Warnings and errors, each with its plan unless all have it; what only informs is left out."""
    serious = [
        (plan, finding)
        for plan in plans
        for finding in plan.findings
        if finding.level is not Level.INFO
    ]
    counts = Counter(finding for _, finding in serious)
    return tuple(
        dict.fromkeys(
            f if counts[f] == len(plans) else replace(f, message=f"{_short(plan)}: {f.message}")
            for plan, f in serious
        )
    )


def _short(plan: Plan) -> str:
    return f"{subject(plan)}, {plan.answer.engine} {plan.answer.version}"


def _row(plan: Plan) -> tuple[Cell, ...]:
    answer = plan.answer
    return (
        cell(subject(plan)),
        cell(f"{answer.engine} {answer.version}"),
        cell(answer.bytes_per_slot, Unit.BYTES),
        cell(answer.kv.bytes_per_token, Unit.EXACT_BYTES),
        cell(answer.kv.bytes_at_context, Unit.BYTES),
        cell(answer.capacity.context, Unit.TOKENS),
        _weights_cell(plan),
        cell(answer.capacity.max_requests, Unit.COUNT),
        cell(answer.capacity.limited_by),
        cell(plan.verdict.value),
    )


def _reasons(plans: Sequence[Plan]) -> tuple[Table, ...]:
    """What each engine does with dtypes, padding, slots and reserves."""
    engines = {f"{p.answer.engine} {p.answer.version}": p for p in plans}
    if len(engines) == 1:
        return ()
    rows = [
        (cell(reason), *(cell(plan.answer.reasons.get(reason)) for plan in engines.values()))
        for reason in get_args(Reason)
    ]
    return (table("Why they differ", ("reason", *engines), rows),)


def _weights_cell(plan: Plan) -> Cell:
    weights = plan.weights
    return cell(max(weights.bytes_per_rank) if weights.known else None, Unit.BYTES)
