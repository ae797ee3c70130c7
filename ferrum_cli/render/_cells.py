"""Cells as text for people: bytes with units, tokens in thousands, empty for nothing.

It knows nothing about tables.
"""

from __future__ import annotations

from collections.abc import Callable

from ferrum_cli.quantity import format_bytes, format_tokens
from ferrum_cli.report import Cell, Unit, Value


def shown(cell: Cell) -> str:
    """A cell as a person reads it."""
    value = cell.value
    if value is None:
        return "–"
    if isinstance(value, int) and not isinstance(value, bool):
        return _NUMBERS.get(cell.unit, "{:,}".format)(value)
    if cell.unit is Unit.PERCENT and isinstance(value, float):
        return f"{100 * value:.1f} %"
    return one_line(str(value))


_NUMBERS: dict[Unit, Callable[[int], str]] = {
    Unit.BYTES: format_bytes,
    Unit.EXACT_BYTES: "{:,} B".format,
    Unit.TOKENS: format_tokens,
}


def exact(value: Value) -> str:
    """A cell as a program reads it: no unit, nothing rounded."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else one_line(str(value))


def one_line(text: str) -> str:
    """Text from outside without control characters, so that it cannot steer a terminal."""
    return "".join(c if c.isprintable() else "�" for c in text)
