"""The engines that start from a command line, with their versions and variables.

It knows nothing about a particular engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ferrum_cli import discover
from ferrum_cli.engines import engine, engine_names
from ferrum_cli.engines._command_line import CommandLine

_PACKAGE = "ferrum_cli.engines"


@dataclass(frozen=True, slots=True)
class EngineLine:
    """An engine's command line, its default version, and the variables that it reads."""

    line: CommandLine
    version: str
    variables: frozenset[str]


def engine_lines() -> dict[str, EngineLine]:
    """Every engine that has a command line, by its name."""
    found = {}
    for name in engine_names():
        module = discover.load(f"{_PACKAGE}.{name.replace('.', '_')}", "command_line")
        if module is None:
            continue
        chosen = engine(name)
        line = cast(CommandLine, module.COMMAND_LINE)
        flags = line.flags(chosen.VERSION, line.entry_points[0].program)
        variables = {option.name for option in chosen.OPTIONS if option.environment}
        variables |= {flag.environment for flag in flags if flag.environment}
        found[name] = EngineLine(line, chosen.VERSION, frozenset(variables))
    return found
