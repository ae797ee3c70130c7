"""Reports for a terminal: the answer first, then tables, then findings.

It knows nothing about what the tables mean.
"""

from __future__ import annotations

import io

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from ferrum_cli.render import Style
from ferrum_cli.render._cells import one_line, shown
from ferrum_cli.report import Finding, Level, Report, Table

SUFFIXES = (".txt",)
_PROSE = 36
"""Cells longer than this are prose and may be folded first when the terminal is narrow."""
_NARROWEST_PROSE = 16
_BETWEEN_COLUMNS = 3
_COLORS = {Level.INFO: "cyan", Level.WARNING: "yellow", Level.ERROR: "bold red"}


def render(report: Report, style: Style) -> str:
    """The report as wide as the style allows; colour only where it says so."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=style.width,
        force_terminal=style.color,
        color_system="standard" if style.color else None,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(Text(one_line(report.answer), style="bold"))
    if not style.quiet:
        _explain(console, report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _explain(console: Console, report: Report) -> None:
    for table in report.tables:
        console.print()
        console.print(Text(one_line(table.title), style="underline"))
        console.print(_fitting(table, console))
    if report.commands:
        console.print()
    for command in report.commands:
        console.print(Text(one_line(command), style="green"), soft_wrap=True)
    if report.findings or report.notes:
        console.print()
    for finding in report.findings:
        console.print(_finding(finding, report.commands))
    for note in report.notes:
        console.print(Text(one_line(note), style="dim"))


def _fitting(table: Table, console: Console) -> RenderableType:
    """The table; else without columns that say the same in every row; else record by record."""
    drawn = _drawn(table, tuple(range(len(table.columns))))
    if _fits(drawn, console):
        return drawn
    varying = _varying(table)
    narrower = _drawn(table, varying)
    if varying and _fits(narrower, console):
        return Group(Text(_said_once(table, varying), style="dim"), narrower)
    return _records(table)


def _fits(drawn: RichTable, console: Console) -> bool:
    between = _BETWEEN_COLUMNS * (len(drawn.columns) - 1)
    return sum(column.min_width or 0 for column in drawn.columns) + between <= console.width


def _varying(table: Table) -> tuple[int, ...]:
    """Columns in which the rows differ."""
    positions = range(len(table.columns))
    return tuple(p for p in positions if len({row[p] for row in table.rows}) > 1)


def _said_once(table: Table, varying: tuple[int, ...]) -> str:
    constant = [p for p in range(len(table.columns)) if p not in varying]
    return ", ".join(f"{table.columns[p].heading} {shown(table.rows[0][p])}" for p in constant)


def _records(table: Table) -> RichTable:
    drawn = RichTable(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    drawn.add_column(overflow="fold")
    drawn.add_column(overflow="fold")
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            drawn.add_row(Text(column.heading), Text(shown(cell)))
        drawn.add_row()
    return drawn


def _drawn(table: Table, positions: tuple[int, ...]) -> RichTable:
    """Columns of prose may be folded; numbers and names never are."""
    drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for position in positions:
        column = table.columns[position]
        texts = [column.heading, *(shown(row[position]) for row in table.rows)]
        widest = max(map(len, texts))
        wraps = column.align == "left" and widest > _PROSE
        drawn.add_column(
            column.heading,
            justify=column.align,
            no_wrap=not wraps,
            overflow="fold",
            min_width=_longest_word(texts) if wraps else widest,
        )
    for row in table.rows:
        drawn.add_row(*(Text(shown(row[position])) for position in positions))
    return drawn


def _longest_word(texts: list[str]) -> int:
    return min(_NARROWEST_PROSE, max(len(word) for text in texts for word in text.split() or [""]))


def _finding(finding: Finding, commands: tuple[str, ...]) -> Text:
    """A finding with its hint, unless that is a command that stands above."""
    text = Text()
    text.append(f"{finding.level.value}", style=_COLORS[finding.level])
    text.append(f" [{finding.code}] {one_line(finding.message)}")
    if finding.hint and finding.hint not in commands:
        text.append(f"\n  → {one_line(finding.hint)}")
    return text
