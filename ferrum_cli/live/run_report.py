"""A run as a report: the verdict first, then what was verified, drilled and measured.

It knows nothing about how a report is rendered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ferrum_cli.live.check import Check, Verdict
from ferrum_cli.live.drills import DrillResult
from ferrum_cli.live.measure import Measurement
from ferrum_cli.live.run import Run
from ferrum_cli.quantity import format_bytes
from ferrum_cli.report import Cell, Finding, Level, Report, Table, Unit, cell, table

SCHEMA = "ferrum.run/1"


def report(run: Run) -> Report:
    """Everything that a run found out."""
    return Report(
        answer=_answer(run),
        data=_data(run),
        tables=tuple(_tables(run)),
        findings=tuple(_findings(run)),
        notes=tuple(run.notes),
    )


def _answer(run: Run) -> str:
    wanted = run.wanted
    if not run.fits:
        budget = format_bytes(wanted.budget_bytes or 0)
        return (
            f"{run.fitting} of {wanted.requests} requests of {run.model.name} fit into {budget};"
            f" all of them need {format_bytes(run.estimate_bytes)}."
        )
    requests = _count(wanted.requests, "request")
    state = f"{requests} of {run.model.name}, {format_bytes(run.estimate_bytes)} on {run.device}"
    turns = f", {run.fitting} at a time" if run.fitting < wanted.requests else ""
    if failed := _failed(run):
        return f"{state}{turns}: {failed} failed."
    drills = f" and {_count(len(run.drills), 'drill')}" if run.drills else ""
    return f"{state}{turns}: all {_count(len(run.checks), 'check')}{drills} hold."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _failed(run: Run) -> str:
    """What failed, in words; empty if nothing did."""
    checks = sum(check.verdict is Verdict.FAILS for check in run.checks)
    drills = sum(not drill.passed for drill in run.drills)
    parts = [f"{checks} of {len(run.checks)} checks"] if checks else []
    parts += [f"{drills} of {len(run.drills)} drills"] if drills else []
    return " and ".join(parts)


def _data(run: Run) -> dict[str, Any]:
    wanted = run.wanted
    return {
        "schema": SCHEMA,
        "model": run.model.name,
        "device": run.device,
        "requests": wanted.requests,
        "slots_per_request": wanted.slots,
        "budget_bytes": wanted.budget_bytes,
        "layout": wanted.layout,
        "policy": wanted.policy,
        "resume": wanted.resume,
        "recurrence": wanted.recurrence,
        "seed": wanted.seed,
        "estimate": {
            "bytes_per_slot": run.model.slot_bytes,
            "bytes_per_request": run.request_bytes,
            "bytes": run.estimate_bytes,
            "requests_at_once": run.fitting,
        },
        "verdict": "holds" if run.holds else "fails",
        "checks": [check.to_json() for check in run.checks],
        "notes": list(run.notes),
        "manager": run.stats.to_json() if run.stats else None,
        "handles": [handle.facts for handle in run.handles],
        "drilled_at": _drilled_at(run),
        "drills": [_drill_data(drill) for drill in run.drills],
        "measure": [measurement.to_json() for measurement in run.measurements],
    }


def _drilled_at(run: Run) -> dict[str, Any] | None:
    if run.drilled is None:
        return None
    return {
        "bytes_per_slot": run.drilled.slot_bytes,
        "tensors": len(run.drilled.tensors),
        "scaled": run.drilled is not run.model,
    }


def _drill_data(drill: DrillResult) -> dict[str, Any]:
    return {
        "name": drill.name,
        "passed": drill.passed,
        "seed": drill.seed,
        "audits": drill.audits,
        "seconds": round(drill.seconds, 3),
        "failures": list(drill.failures),
        "table": [
            {"what": what, "value": value.value, "unit": value.unit.value}
            for what, value in drill.rows
        ],
    }


def _tables(run: Run) -> Iterator[Table]:
    if run.checks:
        headings = ("check", "expected", "measured", "difference", "verdict")
        rows = [_check_row(check) for check in run.checks]
        yield table(f"Verified on {run.device}", headings, rows)
    if run.drills:
        headings = ("drill", "verdict", "audits", "seed", "what it proves")
        yield table("Drills", headings, [_drill_row(drill) for drill in run.drills])
        yield table("What the drills did", ("drill", "what", "value"), list(_drill_rows(run)))
    if run.measurements:
        headings = ("figure", "value", "unit", "limit", "ratio")
        rows = [_measurement_row(measurement) for measurement in run.measurements]
        yield table("Measured", headings, rows)


def _check_row(check: Check) -> tuple[Cell, ...]:
    if isinstance(check.expected, str) or isinstance(check.measured, str):
        difference = cell("")
    else:
        unit = Unit.EXACT_BYTES if check.unit is Unit.BYTES else check.unit
        difference = cell(check.measured - check.expected, unit)
    return (
        cell(check.name),
        cell(check.expected, check.unit),
        cell(check.measured, check.unit),
        difference,
        cell(check.verdict.value),
    )


def _drill_row(drill: DrillResult) -> tuple[Cell, ...]:
    return (
        cell(drill.name),
        cell("holds" if drill.passed else "fails"),
        cell(drill.audits, Unit.COUNT),
        cell(str(drill.seed)),
        cell(drill.purpose),
    )


def _drill_rows(run: Run) -> Iterator[tuple[Cell, ...]]:
    for drill in run.drills:
        for what, value in drill.rows:
            yield cell(drill.name), cell(what), value


def _measurement_row(measurement: Measurement) -> tuple[Cell, ...]:
    return (
        cell(measurement.name),
        cell(_figure(measurement.value), Unit.NONE),
        cell(measurement.unit),
        cell("" if measurement.limit is None else _figure(measurement.limit)),
        cell("" if measurement.ratio is None else f"{measurement.ratio:.3f}"),
    )


def _figure(value: float) -> str:
    """Three digits at least, thousands set apart."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"  # noqa: PLR2004


def _findings(run: Run) -> Iterator[Finding]:
    if not run.fits:
        yield Finding(
            Level.ERROR,
            "budget-exceeded",
            f"the budget holds {run.fitting} of {run.wanted.requests} requests",
            f"use --budget {run.estimate_bytes}, or --policy lru to let requests take turns",
        )
    for check in run.checks:
        if check.verdict is Verdict.FAILS:
            what = f"{check.name}: expected {check.expected}, measured {check.measured}"
            yield Finding(Level.ERROR, "verification-failed", what)
    for drill in run.drills:
        for failure in drill.failures:
            hint = f"repeat with --drill {drill.name} --seed {drill.seed}"
            yield Finding(Level.ERROR, "drill-failed", f"{drill.name}: {failure}", hint)
    if run.drilled is not None and run.drilled is not run.model:
        yield Finding(
            Level.INFO,
            "scaled-down",
            f"drills ran on the model scaled down: {len(run.drilled.tensors)} of"
            f" {len(run.model.tensors)} tensors, {format_bytes(run.drilled.slot_bytes)} a slot"
            f" instead of {format_bytes(run.model.slot_bytes)}",
            "use --full to drill at full size",
        )
    if run.device == "simulated":
        yield Finding(
            Level.INFO,
            "simulated",
            "the device is simulated: torch's rules for memory, and no GPU",
        )
