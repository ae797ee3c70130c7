"""What an engine's parser makes of its arguments: values, and what it refuses.

It knows nothing about how arguments are parsed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ferrum_cli.engines._command_line import Flag
from ferrum_cli.errors import Location
from ferrum_cli.serve.shell.values import Argument


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the engine refuses a line. One that matters leaves no plan to make."""

    message: str
    matters: bool = True
    hint: str | None = None
    is_unknown: bool = False
    """Whether it is about flags or words that the engine does not know."""
    where: Location | None = None
    """The place in the text, where the text itself breaks off."""

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text


@dataclass(slots=True)
class Parsed:
    """Values by option, in the order of the line, and what stands beside them."""

    values: dict[str, Any] = field(default_factory=dict)
    flags: dict[str, Flag] = field(default_factory=dict)
    """The flag that set each option."""
    unknown: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    missing: list[tuple[str | None, Argument]] = field(default_factory=list)
    """Words that hold something that is not set, with the option that they would set."""
    by_variable: set[str] = field(default_factory=set)
    """Options that a variable sets, and no flag."""
    leftover: list[str] = field(default_factory=list)
    """Words that no flag and no position takes."""

    ambiguous: list[Problem] = field(default_factory=list)
    """Refusals of flags that could be several."""

    def store(self, flag: Flag, value: Any) -> None:
        """Set an option; the last value stands, unless values add up."""
        before = self.values.get(flag.option)
        if flag.gathers and isinstance(before, str):
            value = f"{before},{value}"
        self.values[flag.option] = value
        self.flags[flag.option] = flag

    def refuse(self, message: str, flag: Flag | None = None, hint: str | None = None) -> None:
        """Note a refusal; one that concerns an ignored flag does not matter for a plan."""
        self.problems.append(Problem(message, flag is None or not flag.ignored, hint))
