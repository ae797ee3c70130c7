"""Reports as CSV: the first table with exact values.

It knows nothing about the other tables or about findings.
"""

from __future__ import annotations

import csv
import io

from ferrum_cli.render import Style
from ferrum_cli.render._cells import exact
from ferrum_cli.report import Report

SUFFIXES = (".csv",)


def render(report: Report, style: Style) -> str:
    """The first table; text that a spreadsheet would take for a formula is quoted with '."""
    del style
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if report.tables:
        first = report.tables[0]
        writer.writerow(column.heading for column in first.columns)
        for row in first.rows:
            writer.writerow(_harmless(exact(cell.value)) for cell in row)
    return out.getvalue()


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "@", "\t")) else text
