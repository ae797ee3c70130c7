"""Reports as CSV: the first table, exact values."""

from __future__ import annotations

import csv
import io

from ferrum_cli.render import Style, render
from ferrum_cli.report import Report
from tests.render.sample import SAMPLE


def rows() -> list[list[str]]:
    return list(csv.reader(io.StringIO(render(SAMPLE, "csv", Style()))))


def test_values_are_exact_and_without_units() -> None:
    assert rows()[0] == ["line", "bytes", "token", "share", "count", "how"]
    assert rows()[1] == [
        "weights",
        "159348782592",
        "24576",
        "0.961",
        "79674391296",
        "parameters × BF16",
    ]


def test_a_cell_that_a_spreadsheet_would_run_is_quoted() -> None:
    assert rows()[2][5].startswith("'=1+1")


def test_every_row_is_one_line_and_nothing_is_an_empty_cell() -> None:
    assert len(rows()) == 3
    assert rows()[2][2] == ""


def test_a_report_without_tables_is_empty() -> None:
    assert render(Report("nothing", {}), "csv", Style()) == ""
