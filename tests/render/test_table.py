"""Reports on a terminal: answer, tables, findings, whatever the width."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ferrum_cli.render import Style, render
from ferrum_cli.report import Finding, Level, Report, Unit, cell, table
from tests.render.sample import SAMPLE


def test_the_table_format_looks_as_recorded(golden: Callable[[str, str], None]) -> None:
    golden("render/table.txt", render(SAMPLE, "table", Style(width=100)))


def test_the_answer_comes_first() -> None:
    assert render(SAMPLE, "table", Style()).startswith(SAMPLE.answer)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = render(SAMPLE, "table", Style(width=width)).splitlines()
    assert max(map(len, lines)) <= width


def test_colour_is_written_only_where_it_is_wanted() -> None:
    assert "\x1b[" not in render(SAMPLE, "table", Style(color=False))
    assert "\x1b[" in render(SAMPLE, "table", Style(color=True))


def test_text_from_outside_cannot_steer_the_terminal_or_the_markup() -> None:
    text = render(SAMPLE, "table", Style(width=200))
    assert "[red]x[/red]" in text
    assert "\x1b" not in text


def test_quiet_is_the_answer_alone() -> None:
    assert render(SAMPLE, "table", Style(quiet=True)) == SAMPLE.answer + "\n"


def test_a_terminal_too_narrow_for_the_numbers_shows_records_and_cuts_nothing() -> None:
    text = render(SAMPLE, "table", Style(width=36))
    assert "bytes  148.41 GiB" in text
    assert "count  79,674,391,296" in text


def test_columns_that_say_the_same_in_every_row_are_said_once_where_it_is_narrow() -> None:
    headings = ("model", "requests", "verdict")
    rows = [(cell("a" * 20), cell(n, Unit.COUNT), cell("fits")) for n in (1, 2)]
    report = Report("two", {}, (table("Comparison", headings, rows),))
    wide = render(report, "table", Style(width=80))
    narrow = render(report, "table", Style(width=35))
    assert wide.count("a" * 20) == 2
    assert narrow.count("a" * 20) == 1
    assert "verdict fits" in narrow.replace("\n", " ")


COMMAND = "vllm serve Qwen/Qwen3.5-27B " + " ".join(
    f"--a-flag-of-some-length {n}" for n in range(9)
)
ADVISED = Report(
    "four",
    {},
    findings=(
        Finding(Level.INFO, "advice", "four requests run with a flag", COMMAND),
        Finding(Level.INFO, "other", "something else", "do it"),
    ),
    commands=(COMMAND,),
)


@pytest.mark.parametrize("width", [40, 100])
def test_a_command_is_one_line_however_narrow_the_terminal_is(width: int) -> None:
    lines = render(ADVISED, "table", Style(width=width)).splitlines()
    assert lines.count(COMMAND) == 1


def test_a_hint_that_stands_there_as_a_command_is_not_said_twice() -> None:
    text = render(ADVISED, "table", Style(width=400))
    assert text.count(COMMAND) == 1
    assert "→ do it" in text
