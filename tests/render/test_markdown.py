"""Reports as Markdown: tables that a pull request shows, text that it does not interpret."""

from __future__ import annotations

from collections.abc import Callable

from ferrum_cli.render import Style, render
from ferrum_cli.report import Finding, Level, Report
from tests.render.sample import SAMPLE


def test_the_markdown_format_looks_as_recorded(golden: Callable[[str, str], None]) -> None:
    golden("render/markdown.md", render(SAMPLE, "markdown", Style()))


def test_text_from_outside_cannot_break_a_table_or_become_html() -> None:
    text = render(SAMPLE, "markdown", Style())
    assert r"a\|b \*c\* \[red\]x" in text
    assert "<script>" not in text


def test_every_row_has_as_many_cells_as_its_heading() -> None:
    lines = [
        line.replace("\\|", "")
        for line in render(SAMPLE, "markdown", Style()).splitlines()
        if line.startswith("|")
    ]
    assert {line.count("|") for line in lines[:4]} == {7}


def test_quiet_is_the_answer_alone() -> None:
    assert render(SAMPLE, "markdown", Style(quiet=True)).count("\n") == 1


def test_a_command_to_copy_is_a_block_of_its_own() -> None:
    command = "vllm serve a/b --kv-cache-dtype fp8"
    finding = Finding(Level.INFO, "advice", "it runs", command)
    text = render(Report("four", {}, findings=(finding,), commands=(command,)), "markdown", Style())
    assert f"```sh\n{command}\n```" in text
    assert text.count(command) == 1
