"""Numbers computed by vLLM's own code, held against the engine's answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ferrum_cli.describe.huggingface import describe
from ferrum_cli.engines import Answer
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import DATA, answered

FILE = json.loads((DATA / "engines" / "vllm.json").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = FILE["cases"]
NUMBERS = [case for case in CASES if "layout" in case]
REFUSED = [case for case in CASES if "refusal" in case]
RUNS = [case for case in CASES if "running" in case]
REJECTED = "mamba_cache_mode"
"""The option that vLLM's command line itself rejects in one case."""


def answer(case: dict[str, Any], **changes: Any) -> Answer:
    model = describe(FILE["configs"][case["config"]], case["config"])
    parallel = Parallel(case["tp"], case["pp"])
    return answered(model, case["options"], version=case["version"], parallel=parallel, **changes)


def one_or_all(value: Any) -> Any:
    """Recorded lists of ranks may be of one rank alone."""
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: str(case["id"]))
def test_every_recorded_number_is_computed_to_the_byte(case: dict[str, Any]) -> None:
    found = answer(case)
    for key, value in case["layout"].items():
        expected = one_or_all(value) if key.endswith("_per_rank") else value
        assert found.layout[key] == expected, key
    # The recorded cases captured no graphs, before which vLLM looks at max_num_seqs.
    too_many = found.layout["num_gpu_blocks"] < case["options"].get("max_num_seqs", 1024)
    assert (found.refusal is None) or too_many


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: str(case["id"]))
def test_every_recorded_refusal_is_predicted_in_vllms_words(case: dict[str, Any]) -> None:
    if case["options"].get(REJECTED) == "all":
        with pytest.raises(UsageError, match="choose from 'align', 'none'"):
            answer(case)
        return
    found = answer(case)
    assert found.refusal is not None
    recorded = " ".join(case["refusal"].split())
    said = found.refusal.removeprefix("AssertionError: ")
    # Kimi-Linear's assertion has no words but those of its own line of code.
    assert said in recorded or said == "page_size_padded >= page_size"


@pytest.mark.parametrize("case", RUNS, ids=lambda case: str(case["id"]))
def test_the_running_limit_is_what_the_scheduler_reached(case: dict[str, Any]) -> None:
    """Equal, or one lower in align mode where another request fills at the same time."""
    found = answer(case, context=case["running"]["context"])
    reached = case["running"]["peak_decoding"]
    slack = 1 if found.layout["mamba_cache_mode"] == "align" else 0
    assert reached <= found.layout["running_limit"] <= reached + slack


def test_all_calculators_modes_and_splits_are_among_the_cases() -> None:
    architectures = {FILE["configs"][case["config"]]["architectures"][0] for case in CASES}
    assert len(CASES) >= 60
    assert len(architectures) >= 20
    assert {case["pp"] for case in CASES} >= {1, 2, 4}
    assert {case["layout"]["mamba_cache_mode"] for case in NUMBERS} == {"none", "align"}
    assert {case["version"] for case in CASES} == {"0.32.0", "0.33.0"}
    assert len(RUNS) >= 10
