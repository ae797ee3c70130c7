"""`--serve` and `--dry-run`: a command line joined with what `plan` is asked beside it.

It knows no engine's rules.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ferrum_cli.errors import FerrumError, UsageError

if TYPE_CHECKING:
    from ferrum_cli.commands._output import Output
    from ferrum_cli.describe.description import Description
    from ferrum_cli.plan import Plan
    from ferrum_cli.plan.several import Case
    from ferrum_cli.report import Finding
    from ferrum_cli.serve.beside import Beside
    from ferrum_cli.serve.command import Command
    from ferrum_cli.serve.planning import Served

_STDIN = "-"


def command_line(text: str | None, engine: str | None, version: str | None) -> Command | None:
    """The command line that `--serve` holds, or standard input for `-`; None without it.

    `version` is what `--engine-version` says; several, or another engine's, say nothing about it.
    """
    if text is None:
        return None
    from ferrum_cli.serve.reading import read

    text = _stdin() if text == _STDIN else text
    one = version if version is not None and "," not in version else None
    command = read(text, os.environ, one)
    if one is None or engine in (None, command.engine):
        return command
    return read(text, os.environ)


def show(command: Command | None, out: Output) -> int:
    """Print what was understood. 2 where the engine would reject it."""
    from ferrum_cli.commands._output import emit
    from ferrum_cli.serve.presentation import present

    if command is None:
        raise UsageError(
            "shows what is understood of a command line",
            hint="give one with --serve",
            where="--dry-run",
        )
    emit(present(command), out)
    return 2 if command.error else 0


def taken(command: Command | None, beside: Beside) -> Served | None:
    """What a plan takes from the line. Raises UsageError with what leaves no plan to make."""
    if command is None:
        return None
    from ferrum_cli.serve.planning import served

    return served(command, beside)


def descriptions(models: Sequence[str] | None, line: Served | None) -> list[Description]:
    """The models that are named, or the one that the command line serves."""
    from ferrum_cli.describe.source import read_model

    if models:
        return [read_model(model) for model in models]
    if line is None:
        raise UsageError("Missing argument 'MODEL...'", hint="see 'ferrum plan --help'")
    if line.model is None:
        raise UsageError("the command line names no model", hint="give MODEL too", where="--serve")
    try:
        return [read_model(line.model)]
    except FerrumError as error:
        way = "name the model that it is: ferrum plan MODEL --serve …"
        error.hint = f"{error.hint}, or {way}" if error.hint else way
        raise


def under(asked: Sequence[Case], line: Served | None) -> list[Case]:
    """The cases with the line's options below those of `--set`, where the engine is the line's."""
    from ferrum_cli.engines import Settings

    if line is None:
        return list(asked)

    def joined(case: Case) -> Case:
        settings = Settings(case.engine.OPTIONS, {**line.settings, **case.settings.given()})
        return replace(case, settings=settings, version=case.version or line.version)

    return [joined(case) if line.engine == case.engine.NAME else case for case in asked]


def annotated(plans: Sequence[Plan], line: Served | None) -> list[Plan]:
    """The plans with what is to be said about the command line."""
    if line is None:
        return list(plans)
    return [
        replace(plan, findings=(*plan.findings, *line.findings, *_other_engine(plan, line)))
        for plan in plans
    ]


def _other_engine(plan: Plan, line: Served) -> tuple[Finding, ...]:
    from ferrum_cli.report import Finding, Level

    if plan.answer.engine == line.engine:
        return ()
    message = f"the options of the command line are {line.engine}'s and do not count here"
    return (Finding(Level.INFO, "serve-other-engine", message),)


def _stdin() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise UsageError("standard input is no text", hint="paste UTF-8", where="--serve") from None
