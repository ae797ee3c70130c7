"""docs/engines/llama.cpp.md names every code, log line and series, and none that is gone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ferrum_cli.describe.gguf_file import cursor, metadata, tensor_table
from ferrum_cli.engines.llama_cpp.log_lines import FORMS
from ferrum_cli.engines.llama_cpp.metrics import METRICS
from ferrum_cli.engines.llama_cpp.options import VERSION

_ROOT = Path(__file__).parents[3]
_TEXT = (_ROOT / "docs" / "engines" / "llama.cpp.md").read_text(encoding="utf-8")
_CODE = re.compile(r'(?:Level\.\w+,|Refusal\(|OUT_OF_MEMORY =)\s*"([a-z0-9]+(?:-[a-z0-9]+)+)"')


def _section(title: str) -> str:
    return _TEXT.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def _codes() -> set[str]:
    """Every code that the engine's files give to a finding or a refusal."""
    folder = _ROOT / "ferrum_cli" / "engines" / "llama_cpp"
    found = (_CODE.findall(path.read_text(encoding="utf-8")) for path in folder.glob("*.py"))
    return {code for codes in found for code in codes}


def test_the_tables_of_findings_hold_exactly_the_codes_of_the_engine() -> None:
    documented = set(re.findall(r"^\| `([^`]*)` \|", _section("Findings"), flags=re.MULTILINE))
    assert len(documented) > 30
    assert documented == _codes()


@pytest.mark.parametrize("key", FORMS)
def test_every_log_line_stands_there_word_for_word(key: str) -> None:
    assert FORMS[key].text in _section("Log lines").splitlines()


def test_no_log_line_stands_there_that_is_gone() -> None:
    block = _section("Log lines").split("```")[1].strip().splitlines()
    assert set(block) == {form.text for form in FORMS.values()}


def test_the_series_are_those_of_the_table() -> None:
    assert set(re.findall(r"`(llamacpp:\w+)`", _section("Metrics"))) == set(METRICS)


def test_the_limits_of_a_file_are_those_of_the_reader() -> None:
    section = _section("GGUF files")
    for limit in (metadata.MAX_PAIRS, tensor_table.MAX_TENSORS, metadata.MAX_STRINGS):
        assert f"{limit:,}" in section
    assert f"{cursor.MAX_HEADER_BYTES // 2**20} MiB" in section


def test_the_version_is_the_engines() -> None:
    assert f"llama-server {VERSION}" in _TEXT
