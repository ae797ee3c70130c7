"""Reports for a terminal: the answer first, then tables, then findings.

It knows nothing about what the tables mean.
"""

from __future__ import annotations

import io

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ferrum_cli.render import Style
from ferrum_cli.render._cells import one_line, shown
from ferrum_cli.report import Finding, Level, Report, Table

SUFFIXES = (".txt",)
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
        console.print(_table(table))
    if report.findings or report.notes:
        console.print()
    for finding in report.findings:
        console.print(_finding(finding))
    for note in report.notes:
        console.print(Text(one_line(note), style="dim"))


def _table(table: Table) -> RichTable:
    drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in table.columns:
        wraps = column.align == "left"
        drawn.add_column(
            column.heading,
            justify=column.align,
            no_wrap=not wraps,
            overflow="fold",
        )
    for row in table.rows:
        drawn.add_row(*(Text(shown(cell)) for cell in row))
    return drawn


def _finding(finding: Finding) -> Text:
    text = Text()
    text.append(f"{finding.level.value}", style=_COLORS[finding.level])
    text.append(f" [{finding.code}] {one_line(finding.message)}")
    if finding.hint:
        text.append(f"\n  → {one_line(finding.hint)}")
    return text
