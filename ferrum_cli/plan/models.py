"""Descriptions as reports: the list of shipped models, and one model in full.

It knows nothing about machines, requests or output formats.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ferrum_cli.describe.description import Description, Layer
from ferrum_cli.describe.yaml_file.layer_runs import runs
from ferrum_cli.engines import engine
from ferrum_cli.plan.asking import Wanted, plan
from ferrum_cli.plan.result import Plan
from ferrum_cli.quantity import format_bytes
from ferrum_cli.report import Cell, Report, Table, Unit, cell, table

_HEADINGS = ("name", "parameters", "layers", "state", "KV/token", "context", "kinds of state")


def listing(descriptions: Sequence[Description]) -> Report:
    """The models one a row, with their figures under the native engine."""
    plans = [plan(description, engine("native"), Wanted()) for description in descriptions]
    return Report(
        answer=f"{len(plans)} models ship with Ferrum.",
        data=[_facts(one) for one in plans],
        tables=(table("Shipped models", _HEADINGS, [_row(one) for one in plans]),),
    )


def one_model(description: Description) -> Report:
    """One model: sizes, parameters, blocks and layers."""
    native = plan(description, engine("native"), Wanted())
    total = native.parameters.total
    state = format_bytes(native.answer.bytes_per_slot)
    per_token = native.answer.kv.bytes_per_token
    return Report(
        answer=(
            f"{description.name}: {total:,} parameters, {description.num_layers} layers,"
            f" {state} of recurrent state a request, {per_token:,} bytes of KV a token."
        ),
        data=_facts(native) | {"blocks": _block_facts(description)},
        tables=(_sizes(native), _blocks(description), _layers(description)),
        findings=native.findings,
    )


def _facts(native: Plan) -> dict[str, Any]:
    description = native.question.model.description
    return {
        "schema": "ferrum.models/1",
        "name": description.name,
        "source": description.source,
        "architecture": description.architecture,
        "dtype": description.dtype.name,
        "num_layers": description.num_layers,
        "parameters": native.parameters.total,
        "parameters_exact": description.parameters == "exact",
        "max_context": description.max_context,
        "state_bytes_per_slot": native.answer.bytes_per_slot,
        "kv_bytes_per_token": native.answer.kv.bytes_per_token,
        "state_kinds": list(native.question.model.state_kinds),
    }


def _row(native: Plan) -> tuple[Cell, ...]:
    description = native.question.model.description
    return (
        cell(description.name),
        cell(native.parameters.total, Unit.COUNT),
        cell(description.num_layers, Unit.COUNT),
        cell(native.answer.bytes_per_slot, Unit.BYTES),
        cell(native.answer.kv.bytes_per_token, Unit.EXACT_BYTES),
        cell(description.max_context, Unit.TOKENS),
        cell(", ".join(native.question.model.state_kinds) or "none"),
    )


def _sizes(native: Plan) -> Table:
    description, counts = native.question.model.description, native.parameters
    rows = [
        (cell("source"), cell(description.source)),
        (cell("architecture"), cell(description.architecture)),
        (cell("dtype"), cell(description.dtype.name)),
        (cell("hidden_size"), cell(description.hidden_size)),
        (cell("vocab_size"), cell(description.vocab_size)),
        (cell("max_context"), cell(description.max_context)),
        (cell("parameters"), cell(f"{counts.total:,} ({description.parameters})")),
        (cell("active for a token"), cell(counts.active)),
        (cell("vision"), cell(counts.vision)),
        (cell("draft"), cell(counts.draft)),
    ]
    hints = [(cell(name), cell(str(value))) for name, value in description.hints.given().items()]
    shown = [row for row in (*rows, *hints) if row[1].value not in (None, 0)]
    return table("Sizes", ("size", "value"), shown)


def _block_facts(description: Description) -> dict[str, Any]:
    return {
        name: {
            "kind": block.kind,
            "source": block.source,
            "parameters": sum(w.elements for w in description.block_weights(name)),
            "flops_per_token": block.flops_per_token(description.hidden_size, 1),
        }
        for name, block in description.blocks.items()
    }


def _blocks(description: Description) -> Table:
    rows = [
        (
            cell(name),
            cell(str(facts["kind"])),
            cell(facts["parameters"], Unit.COUNT),
            cell(facts["flops_per_token"], Unit.COUNT),
            cell(facts["source"]),
        )
        for name, facts in _block_facts(description).items()
    ]
    return table("Blocks", ("name", "kind", "parameters", "FLOPs a token", "source"), rows)


def _layers(description: Description) -> Table:
    """Runs of equal layers and of repeated patterns, so that the build is seen at a glance."""
    rows: list[tuple[Cell, ...]] = []
    first = 0
    for span in description.spans:
        for run in runs(span.layers):
            length = len(run.pattern) * run.repeat
            numbers = str(first) if length == 1 else f"{first}–{first + length - 1}"
            rows.append((cell(numbers), cell(run.repeat, Unit.COUNT), cell(_pattern(run.pattern))))
            first += length
        if span.passes > 1:
            first += len(span.layers) * (span.passes - 1)
            rows.append((cell("again"), cell(span.passes - 1, Unit.COUNT), cell("the run above")))
    return table("Layers", ("layers", "times", "pattern"), rows)


def _pattern(layers: Sequence[Layer]) -> str:
    """`3 × delta → experts, attention → experts`."""
    parts = []
    for layer, equal in itertools.groupby(layers):
        times = len(list(equal))
        parts.append(f"{times} × {_entries(layer)}" if times > 1 else _entries(layer))
    return ", ".join(parts)


def _entries(layer: Layer) -> str:
    return " → ".join(" + ".join(entry) for entry in layer.entries)
