"""What a plan takes from a command line: model, ranks, options, and what to tell about them.

What is given beside the command line beats it; where both differ, a finding says so. It knows
nothing about models or about how a plan is made.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ferrum_cli.engines import Option, Setting
from ferrum_cli.engines._command_line import CommandLine
from ferrum_cli.engines._options import Kind, Source, find, parse_value
from ferrum_cli.errors import FerrumError, UsageError
from ferrum_cli.report import Finding, Level
from ferrum_cli.serve.beside import Beside
from ferrum_cli.serve.command import Command, absence
from ferrum_cli.serve.engine_lines import EngineLine, engine_line

_WHERE = "--serve"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A command line as a plan takes it."""

    engine: str
    version: str | None
    model: str | None
    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int
    settings: Mapping[str, Setting]
    findings: tuple[Finding, ...]
    words: tuple[str, ...]
    """The command as a shell takes it, variables in front; none where none was found whole."""


def served(command: Command, beside: Beside) -> Served:
    """What a plan takes from a command. Raises UsageError with what leaves no plan to make."""
    problem = next((problem for problem in command.problems if problem.matters), None)
    if problem is not None:
        raise UsageError(problem.message, hint=problem.hint, where=problem.where or _WHERE)
    engine = engine_line(command.engine or "")
    if engine is None or command.engine is None:
        raise UsageError("the text names no engine", where=_WHERE)
    stronger = _stronger(engine.line, beside)
    left = {n: v for n, v in command.options.items() if n not in (*stronger, *beside.assigned)}
    settings = _settings(command, left, engine.options)
    return Served(
        engine=command.engine,
        version=command.version,
        model=command.model,
        tensor_parallel=_ranks(left, engine.line.tensor_parallel, beside.tensor_parallel),
        pipeline_parallel=_ranks(left, engine.line.pipeline_parallel, beside.pipeline_parallel),
        data_parallel=_ranks(left, engine.line.data_parallel, beside.data_parallel),
        settings=settings,
        findings=(
            *_beaten(command, stronger),
            *_assigned(command, beside.assigned, engine.options),
            *_findings(command, engine),
        ),
        words=_words(command),
    )


def _words(command: Command) -> tuple[str, ...]:
    variables = (f"{name}={shlex.quote(text)}" for name, text in command.environment.items())
    return (*variables, *command.words) if command.words else ()


def _stronger(line: CommandLine, beside: Beside) -> dict[str, tuple[str, int]]:
    """The options that Ferrum's own say otherwise, with how and what."""
    own = (
        (line.tensor_parallel, "--tp", beside.tensor_parallel),
        (line.pipeline_parallel, "--pp", beside.pipeline_parallel),
        (line.data_parallel, "--dp", beside.data_parallel),
        (line.context, "--context", beside.context),
    )
    return {
        name: (option, value)
        for name, option, value in own
        if name is not None and value is not None
    }


def _ranks(options: Mapping[str, Any], name: str | None, given: int | None) -> int:
    return given or (options.get(name) if name is not None else None) or 1


def _settings(
    command: Command, options: Mapping[str, Any], table: Sequence[Option]
) -> dict[str, Setting]:
    """The options and variables that the engine's table has a row for. Raises UsageError."""
    found: dict[str, Setting] = {}
    for name, value in options.items():
        option = find(table, name)
        if option is not None and value is not None:
            source: Source = "environment" if name in command.by_variable else "flag"
            found[name] = Setting(_read(option, _written(value, option)), source)
    for name, text in command.environment.items():
        option = find(table, name)
        if option is not None and option.environment:
            found[name] = Setting(_read(option, text), "environment")
    return found


def _read(option: Option, text: str) -> Any:
    try:
        return parse_value(option, text)
    except FerrumError as error:
        raise UsageError(error.message, hint=error.hint, where=_WHERE) from None


def _written(value: Any, option: Option) -> str:
    """A value as `--set` takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict) or option.kind is Kind.JSON:
        return json.dumps(value)
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    return str(value)


def _beaten(command: Command, stronger: Mapping[str, tuple[str, int]]) -> Iterator[Finding]:
    for name, (option, value) in stronger.items():
        own = command.options.get(name)
        if own is not None and own != value:
            yield Finding(
                Level.WARNING,
                "serve-contradicted",
                f"{option} {value} beats {name} {own} of the command line",
                f"leave out {option}, or change the command line",
            )


def _assigned(
    command: Command, assigned: Mapping[str, str], table: Sequence[Option]
) -> Iterator[Finding]:
    """What `--set` gives otherwise than the line and its variables."""
    for name, text in assigned.items():
        option = find(table, name)
        if option is None or name not in {**command.options, **command.environment}:
            continue
        own = command.options.get(name, command.environment.get(name))
        if _written(own, option) != text:
            yield Finding(
                Level.WARNING,
                "serve-contradicted",
                f"--set {name}={text} beats {name} {_written(own, option)} of the command line",
                "change the command line too",
            )


def _findings(command: Command, engine: EngineLine) -> Iterator[Finding]:
    name, version = engine.line.title, command.version or engine.version
    for unknown in command.unknown:
        message = f"{name} {version} does not know {unknown.flag}"
        yield Finding(Level.WARNING, "serve-unknown-flag", message, unknown.hint)
    for problem in command.problems:
        if not problem.is_unknown:
            message = f"{name} would not start: {problem.message}"
            yield Finding(Level.WARNING, "serve-refused", message, problem.hint)
    for absent in command.unresolved:
        hint = "set it, or give the option with --set"
        yield Finding(Level.WARNING, "serve-unresolved", absence(absent), hint)
    for note in command.notes:
        yield Finding(Level.WARNING, "serve-note", note)
    if command.ignored:
        flags = ", ".join(option.replace("_", "-") for option in command.ignored)
        yield Finding(Level.INFO, "serve-ignored", f"without effect on memory: {flags}")
