"""Numbers computed by SGLang 0.5.23's own classes, held against the engine's answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.engines import engine
from ferrum_cli.expand import Parallel
from tests.engines.sglang.asking import question

DATA = json.loads(
    (Path(__file__).parents[2] / "data" / "engines" / "sglang.json").read_text(encoding="utf-8")
)
CASES: list[dict[str, Any]] = DATA["cases"]


def answer(case: dict[str, Any]) -> Any:
    config = DATA["configs"][case["config"]]
    parallel = Parallel(**case["parallel"])
    return engine("sglang").answer(question(config, case["options"], parallel=parallel))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_every_recorded_number_is_computed_to_the_byte(case: dict[str, Any]) -> None:
    found = answer(case)
    expected = case["expected"]
    assert found.refusal == expected.get("refusal")
    layout = {name: found.layout.get(name) for name in expected.get("layout", {})}
    assert layout == expected.get("layout", {})


@pytest.mark.parametrize(
    "case", [c for c in CASES if "log" in c["expected"]], ids=lambda case: str(case["id"])
)
def test_the_recorded_warnings_are_written_word_for_word(case: dict[str, Any]) -> None:
    lines = [line.text for line in answer(case).log_lines]
    for text in case["expected"]["log"]:
        assert text in lines


@pytest.mark.parametrize(
    "case", [c for c in CASES if "unbudgeted" in c["expected"]], ids=lambda case: str(case["id"])
)
def test_what_no_budget_knows_of_has_its_recorded_size(case: dict[str, Any]) -> None:
    lines = {line.name.split(" (")[0]: line.size_bytes for line in answer(case).memory}
    for name, size in case["expected"]["unbudgeted"].items():
        assert lines.get(name, 0) == size


def test_all_kinds_of_state_and_of_refusal_are_among_the_cases() -> None:
    kinds = {case["kind"] for case in CASES}
    assert kinds >= {
        *("gdn", "kda", "mamba1", "mamba2", "short_conv", "cca", "lightning", "jet", "sconv"),
        "refused",
    }
    assert len(CASES) >= 30
