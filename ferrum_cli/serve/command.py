"""A command line as it was understood: the engine, its options, and what is wrong or unknown.

It knows nothing about how it was read or what a plan makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ferrum_cli.serve.parsed import Problem

SCHEMA = "ferrum.command/1"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A flag that the engine does not know, as it is written, and what was probably meant."""

    flag: str
    hint: str | None = None


def absence(unresolved: str) -> str:
    """What is not resolved, as a sentence."""
    if unresolved.isidentifier():
        return f"${unresolved} is not set"
    return f"{unresolved} is not known" if unresolved[:1] in ("$", "<") else unresolved


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command line. Options stand under the engine's own names."""

    engine: str | None = None
    version: str | None = None
    """The engine's version, if the command names an image of it."""
    model: str | None = None
    words: tuple[str, ...] = ()
    """The program and its arguments, each as a shell takes it; none where no command was found."""
    options: Mapping[str, Any] = field(default_factory=dict)
    by_variable: frozenset[str] = frozenset()
    """Options that a variable sets, and no flag."""
    environment: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    """Options that have nothing to do with memory."""
    unknown: tuple[Unknown, ...] = ()
    unresolved: tuple[str, ...] = ()
    """What the text does not say: variables that are not set, a model, files."""
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader should know about how the text was understood."""

    @property
    def error(self) -> str | None:
        """Why the engine would reject the line, in its own words where it has any."""
        return "; ".join(str(problem) for problem in self.problems) or None


def document(command: Command) -> dict[str, Any]:
    """The command as the JSON object `ferrum.command/1`; every key is always there."""
    return {
        "schema": SCHEMA,
        "engine": command.engine,
        "model": command.model,
        "options": dict(command.options),
        "environment": dict(command.environment),
        "ignored": list(command.ignored),
        "unknown": [unknown.flag for unknown in command.unknown],
        "unresolved": list(command.unresolved),
        "error": command.error,
    }
