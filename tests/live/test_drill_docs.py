"""The documentation of drills is held against the drills."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ferrum_cli.live import audit
from ferrum_cli.live.drills import drills

PAGE = (Path(__file__).parents[2] / "docs" / "drills.md").read_text(encoding="utf-8")


def section(heading: str) -> list[list[str]]:
    """The rows of the table under a heading."""
    text = PAGE.partition(f"## {heading}")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_every_drill_is_described_and_no_other() -> None:
    described = [row[0].strip("`") for row in section("What each drill proves")]
    assert described == sorted(drills())


def test_every_reported_failure_has_a_drill_that_exists() -> None:
    rows = section("Failures of real engines, and the drill for each")
    assert len(rows) == 21
    for row in rows:
        assert row[3].strip("`") in drills()
        assert re.search(r"#\d+", row[0])


@pytest.mark.parametrize("number", range(1, 11))
def test_every_invariant_is_described(number: int) -> None:
    assert f"| I{number} |" in PAGE
    assert f"I{number} " in str(audit.__doc__)
