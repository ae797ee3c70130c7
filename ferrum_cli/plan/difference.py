"""Two plans held against each other: only what differs, and what was asked differently.

It knows nothing about an engine's rules: figures are compared by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ferrum_cli.engines import Figure, Setting
from ferrum_cli.errors import UsageError
from ferrum_cli.plan.comparison import provenance, subject
from ferrum_cli.plan.document import document
from ferrum_cli.plan.explain import figures
from ferrum_cli.plan.result import Plan
from ferrum_cli.report import Cell, Finding, Report, Table, cell, table

_COMPARED = ("parallel", "state", "kv", "weights", "capacity", "verdict", "model")
_LEFT_OUT = frozenset({"tensors", "dtype_source", "source", "exact"})


def differ(left: Plan, right: Plan) -> Report:
    """What was asked, and what came out, where it is not the same."""
    asked, found = _asked(left, right), _found(left, right)
    return Report(
        answer=_answer(left, right, asked, found),
        data={
            "schema": "ferrum.diff/1",
            "asked": {row[0].value: [row[1].value, row[2].value] for row in asked.rows},
            "found": {row[0].value: [row[1].value, row[2].value] for row in found.rows},
            "plans": [document(left), document(right)],
        },
        tables=tuple(t for t in (asked, found, _causes(left, right)) if t.rows),
        findings=_only_one(left, right),
        notes=tuple(dict.fromkeys((provenance(left), provenance(right)))),
    )


def two(plans: list[Plan]) -> tuple[Plan, Plan]:
    """The two plans of a difference. Raises UsageError for any other number."""
    if len(plans) != 2:  # noqa: PLR2004 - a difference has two sides
        raise UsageError(
            f"{len(plans)} plans cannot be held against each other",
            hint="give two models, two versions (--engine-version A,B) or two values of an option",
            where="--diff",
        )
    return plans[0], plans[1]


def _answer(left: Plan, right: Plan, asked: Table, found: Table) -> str:
    if not found.rows:
        return "The two plans give the same figures."
    before, after = (p.answer.capacity.max_requests for p in (left, right))
    inputs = ", ".join(str(row[0].value) for row in asked.rows) or "nothing that was asked"
    if before is None or after is None or before == after:
        return f"{len(found.rows)} figures differ; what was asked differently: {inputs}."
    return f"{before} requests become {after}; what was asked differently: {inputs}."


def _asked(left: Plan, right: Plan) -> Table:
    """Model, engine, version, machine and options."""
    return _differing("Asked", left, right, dict(_inputs(left)), dict(_inputs(right)))


def _inputs(plan: Plan) -> Iterator[tuple[str, Any]]:
    question, answer = plan.question, plan.answer
    yield "model", subject(plan)
    yield "engine", f"{answer.engine} {answer.version}"
    yield "memory_bytes", question.machine.memory_bytes
    yield "gpu", question.machine.name
    yield "context", question.context
    yield "requests", question.requests
    for name, setting in answer.options.items():
        yield name, _plain(setting.value if isinstance(setting, Setting) else setting)


def _found(left: Plan, right: Plan) -> Table:
    """Layout, state, KV, weights and capacity."""
    return _differing("Found", left, right, dict(_outputs(left)), dict(_outputs(right)))


def _outputs(plan: Plan) -> Iterator[tuple[str, Any]]:
    made = document(plan)
    for key, value in made["engine"]["layout"].items():
        if not _is_nested(value):
            yield key, _plain(value)
    for section in _COMPARED:
        yield from _leaves(section, made[section])


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        yield path, _plain(value)
        return
    for key, inner in value.items():
        if key not in _LEFT_OUT:
            yield from _leaves(f"{path}.{key}", inner)


def _is_nested(value: Any) -> bool:
    """Lists of objects, such as tensors and groups, whose sums are figures of their own."""
    return isinstance(value, list) and any(isinstance(item, Mapping) for item in value)


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, float, str)) or value is None else str(value)


def _differing(
    title: str, left: Plan, right: Plan, before: dict[str, Any], after: dict[str, Any]
) -> Table:
    names = dict.fromkeys((*before, *after))
    rows: list[tuple[Cell, ...]] = [
        (cell(name), cell(before.get(name)), cell(after.get(name)))
        for name in names
        if before.get(name) != after.get(name)
    ]
    one, other = _headings(left, right)
    return table(title, ("figure", one, other), rows)


def _headings(left: Plan, right: Plan) -> tuple[str, str]:
    """What tells the two apart in the fewest words."""
    names = [
        (p.question.model.description.name, f"{p.answer.engine} {p.answer.version}")
        for p in (left, right)
    ]
    for one, other in zip(*names, strict=True):
        if one != other:
            return one, other
    return "first", "second"


def _causes(left: Plan, right: Plan) -> Table:
    """Formulas that differ, so that the reason can be read off."""
    before, after = ({f.name: f for f in figures(plan)} for plan in (left, right))
    shared = [name for name in before if name in after]
    rows: list[tuple[Cell, ...]] = [
        (cell(name), cell(_reading(before[name])), cell(_reading(after[name])))
        for name in shared
        if before[name].value != after[name].value
    ]
    one, other = _headings(left, right)
    return table("How the figures come about", ("figure", one, other), rows)


def _reading(figure: Figure) -> str:
    return f"{figure.formula} ({figure.source})"


def _only_one(left: Plan, right: Plan) -> tuple[Finding, ...]:
    """Findings that only one of the two has."""
    both = set(left.findings) & set(right.findings)
    return tuple(f for f in (*left.findings, *right.findings) if f not in both)
