"""Words as a command receives them: text, and what of it is not known.

It knows nothing about how text is expanded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Argument:
    """One word of a command. `missing` names what was not set; its source stands in the text."""

    text: str
    missing: tuple[str, ...] = ()
    vanishes: bool = False
    """Whether a shell passes nothing here: all of it is unset, and stands without quotes."""

    def __str__(self) -> str:
        return self.text


Value = Argument | tuple[Argument, ...]
"""A variable's value; a tuple is an array."""


@dataclass(slots=True)
class Scope:
    """Variables, what of them commands inherit, and a function's own arguments."""

    surroundings: Mapping[str, str] = field(default_factory=dict)
    """Variables that are set outside the script."""
    variables: dict[str, Value] = field(default_factory=dict)
    exported: dict[str, None] = field(default_factory=dict)
    """Names in the order in which they were exported."""
    positional: tuple[Argument, ...] | None = None
    """`$1` and what follows it; None where nobody knows them."""
    exports_all: bool = False

    def get(self, name: str) -> Value | None:
        """The value of a variable, or None where it is not set."""
        if name in self.variables:
            return self.variables[name]
        text = self.surroundings.get(name)
        return None if text is None else Argument(text)

    def set(self, name: str, value: Value, *, export: bool = False) -> None:
        """Set a variable, and say whether commands inherit it."""
        self.variables[name] = value
        if export or self.exports_all:
            self.exported.setdefault(name)

    def unset(self, name: str) -> None:
        """Forget a variable of the script."""
        self.variables.pop(name, None)
        self.exported.pop(name, None)

    def environment(self) -> dict[str, Argument]:
        """What commands inherit of the script's own variables."""
        found = {}
        for name in self.exported:
            value = self.get(name)
            if isinstance(value, Argument):
                found[name] = value
        return found
