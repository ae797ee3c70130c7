"""docs/engines/sglang.md names every code, log line and gauge, and none that is gone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ferrum_cli.engines.sglang.log_lines import FORMS
from ferrum_cli.engines.sglang.metrics import METRICS

_ROOT = Path(__file__).parents[3]
_TEXT = (_ROOT / "docs" / "engines" / "sglang.md").read_text(encoding="utf-8")
_CODE = re.compile(
    r'(?:Level\.\w+|Refusal\(|assertion\(|value_error\()[,\s]*"([a-z0-9]+(?:-[a-z0-9]+)*)"'
)


def _section(title: str) -> str:
    return _TEXT.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def _codes() -> set[str]:
    """Every code that the engine's files give to a finding or a refusal."""
    folder = _ROOT / "ferrum_cli" / "engines" / "sglang"
    found = (_CODE.findall(path.read_text(encoding="utf-8")) for path in folder.glob("*.py"))
    return {code for codes in found for code in codes}


def test_the_tables_of_findings_hold_exactly_the_codes_of_the_engine() -> None:
    """A new code is documented, and a code that is gone is not."""
    rows = re.findall(r"^\| (`[^|]*) \|", _section("Findings"), flags=re.MULTILINE)
    documented = {code for row in rows for code in re.findall(r"`([^`]*)`", row)}
    assert documented == _codes()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_log_line_stands_there_word_for_word(form: str) -> None:
    """The forms of the table are those of the page."""
    assert form.rstrip() in _section("Log lines").splitlines()


def test_the_gauges_are_those_of_the_table() -> None:
    """Neither more nor fewer."""
    assert set(re.findall(r"`(sglang:\w+)`", _section("Metrics"))) == set(METRICS)
