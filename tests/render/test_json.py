"""Reports as JSON: the data and nothing else."""

from __future__ import annotations

import json

from ferrum_cli.render import Style, render
from tests.render.sample import SAMPLE


def test_the_data_reads_back_equal() -> None:
    text = render(SAMPLE, "json", Style())
    assert json.loads(text) == {**dict(SAMPLE.data), "shape": [3, 8192]}  # type: ignore[call-overload]


def test_the_text_is_ascii_and_ends_with_a_newline() -> None:
    text = render(SAMPLE, "json", Style())
    assert text.isascii()
    assert text.endswith("}\n")


def test_quiet_changes_nothing() -> None:
    assert render(SAMPLE, "json", Style(quiet=True)) == render(SAMPLE, "json", Style())
