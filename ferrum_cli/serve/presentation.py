"""A command line as a report: what was understood, what is ignored, unknown or not said.

It knows nothing about output formats.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ferrum_cli.report import Cell, Finding, Level, Report, Table, cell, table
from ferrum_cli.serve.command import Command, absence, document
from ferrum_cli.serve.engine_lines import engine_line


def present(command: Command) -> Report:
    """What `--dry-run` shows."""
    tables = (
        _values("Options", "option", command.options),
        _values("Environment", "variable", command.environment),
        _list("Ignored: without effect on memory", "option", command.ignored),
    )
    return Report(
        answer=_answer(command),
        data=document(command),
        tables=tuple(shown for shown in tables if shown.rows),
        findings=tuple(_findings(command)),
    )


def _answer(command: Command) -> str:
    engine = engine_line(command.engine or "")
    if engine is None or (command.error is not None and not command.options):
        return f"Nothing to plan: {command.error}."
    model = command.model or "a model that the text does not name"
    version = f" {command.version}" if command.version else ""
    refuses = ", but would refuse this line" if command.error else ""
    return f"{engine.line.title}{version} serves {model}{refuses}."


def _values(title: str, heading: str, values: Any) -> Table:
    rows = [(cell(name), cell(_shown(value))) for name, value in values.items()]
    return table(title, (heading, "value"), rows)


def _list(title: str, heading: str, names: tuple[str, ...]) -> Table:
    rows: list[tuple[Cell, ...]] = [(cell(name),) for name in names]
    return table(title, (heading,), rows)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _findings(command: Command) -> Iterator[Finding]:
    for problem in command.problems:
        yield Finding(Level.ERROR, "serve-refused", problem.message, problem.hint)
    for absent in command.unresolved:
        yield Finding(Level.WARNING, "serve-unresolved", absence(absent))
    for note in command.notes:
        yield Finding(Level.WARNING, "serve-note", note)
    for unknown in command.unknown:
        if command.error is None:
            message = f"{unknown.flag} is not known"
            yield Finding(Level.WARNING, "serve-unknown-flag", message, unknown.hint)
