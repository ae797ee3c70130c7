"""The engines that start from a command line, with their versions and options.

It knows nothing about a particular engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from ferrum_cli import discover
from ferrum_cli.engines import Option, engine, engine_names
from ferrum_cli.engines._command_line import CommandLine

_PACKAGE = "ferrum_cli.engines"


@dataclass(frozen=True, slots=True)
class EngineLine:
    """An engine's command line, its default version, and the table of its options."""

    line: CommandLine
    version: str
    options: Sequence[Option]

    @property
    def variables(self) -> frozenset[str]:
        """The variables that the engine reads."""
        flags = self.line.flags(self.version, self.line.entry_points[0].program)
        named = {flag.environment for flag in flags if flag.environment}
        return frozenset(named | {option.name for option in self.options if option.environment})


def engine_line(name: str) -> EngineLine | None:
    """The command line of an engine; None for one that is started by no command line."""
    module = discover.load(f"{_PACKAGE}.{name.replace('.', '_')}", "command_line")
    if module is None:
        return None
    chosen = engine(name)
    return EngineLine(cast(CommandLine, module.COMMAND_LINE), chosen.VERSION, chosen.OPTIONS)


def engine_lines(text: str | None = None) -> dict[str, EngineLine]:
    """Every engine that has a command line, by its name; with a text, those that it may name.

    Loading an engine takes time, and most texts name one.
    """
    names = engine_names()
    if text is not None:
        names = tuple(name for name in names if name.partition(".")[0] in text.lower())
    found = {name: engine_line(name) for name in names}
    return {name: line for name, line in found.items() if line is not None}
