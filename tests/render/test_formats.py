"""Formats are found by name, and by the endings of files."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import UsageError
from ferrum_cli.render import Style, format_of_path, formats, render
from tests.render.sample import SAMPLE


def test_every_format_of_the_folder_renders_the_same_report() -> None:
    assert {"table", "json", "markdown", "csv"} <= set(formats())
    for name in formats():
        assert render(SAMPLE, name, Style()).endswith("\n")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.json", "json"),
        ("A.MD", "markdown"),
        ("x/y.csv", "csv"),
        ("p.txt", "table"),
        ("p", None),
        ("p.exe", None),
    ],
)
def test_a_file_name_asks_for_a_format_by_its_ending(path: str, expected: str | None) -> None:
    assert format_of_path(path) == expected


@pytest.mark.parametrize("name", ["jsn", "_cells", "../json", ""])
def test_an_unknown_format_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--format: unknown format"):
        render(SAMPLE, name, Style())
