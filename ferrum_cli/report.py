"""A neutral result: facts, tables and findings, which commands make and renderers read.

It knows nothing about models or about output formats. A cell keeps its exact value and its unit;
how that is shown is the renderer's choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal


class Unit(Enum):
    """What a cell's number counts."""

    NONE = "none"
    BYTES = "bytes"
    EXACT_BYTES = "exact_bytes"
    """Bytes of something small, such as one token, that people compare digit by digit."""
    TOKENS = "tokens"
    COUNT = "count"
    PERCENT = "percent"


class Level(Enum):
    """How much a finding matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something the reader should know; `code` is stable, `hint` says what to do."""

    level: Level
    code: str
    message: str
    hint: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The finding as it stands in a report."""
        return {
            "level": self.level.value,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }


Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Cell:
    """A value with its unit."""

    value: Value
    unit: Unit = Unit.NONE


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading; numbers stand to the right."""

    heading: str
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns. `title` says what the rows are."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What a command found out.

    `answer` is one sentence that a person can act on. `data` is the machine-readable result, one
    object or a list of them. `tables` explain the answer; the first is the one that formats with
    room for a single table write. `commands` are lines to copy, which no format breaks.
    """

    answer: str
    data: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = field(default=())
    commands: tuple[str, ...] = ()


def cell(value: Value, unit: Unit = Unit.NONE) -> Cell:
    """A cell of one value."""
    return Cell(value, unit)


def table(title: str, headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    """A table whose columns of numbers stand to the right."""
    columns = []
    for position, heading in enumerate(headings):
        numeric = any(row[position].unit is not Unit.NONE for row in rows)
        columns.append(Column(heading, "right" if numeric else "left"))
    return Table(title, tuple(columns), tuple(tuple(row) for row in rows))
