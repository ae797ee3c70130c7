"""Findings: each has a stable code, and comes when and only when it should."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Answer, engine
from ferrum_cli.expand import Parallel
from ferrum_cli.report import Level
from tests.engines.sglang.asking import (
    FALCON_MAMBA,
    LFM2,
    LLAMA,
    MEASURED,
    QWEN3_NEXT,
    answered,
    question,
)


def codes(found: Answer) -> set[str]:
    return {finding.code for finding in found.findings}


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("concurrency-capped", QWEN3_NEXT, {"max_running_requests": 100}),
    ("concurrency-reduced-by-kv", LLAMA, {"max_running_requests": 99, "max_total_tokens": 100}),
    ("idle-state-slots", LFM2, {}),
    ("overlap-off", LFM2, {}),
    ("overlap-off", QWEN3_NEXT, {"parallel": Parallel(pp=2)}),
    (
        "divided-by-dp",
        QWEN3_NEXT,
        {"parallel": Parallel(tp=4, dp=4), "enable_dp_attention": True, "max_running_requests": 64},
    ),
    (
        "state-grows-with-dp",
        QWEN3_NEXT,
        {"parallel": Parallel(tp=4, dp=4), "enable_dp_attention": True},
    ),
    ("ssm-dtype-ignored", QWEN3_NEXT | {"mamba_ssm_dtype": "float8"}, {}),
    ("kv-heads-replicated", QWEN3_NEXT, {"parallel": Parallel(tp=4)}),
    ("request-table", QWEN3_NEXT, {"disable_radix_cache": True, "parallel": Parallel(tp=8)}),
    ("int8-pool-unbudgeted", QWEN3_NEXT, {"enable_int8_mamba_checkpoint": True}),
    ("memory-unused", FALCON_MAMBA, {}),
    ("host-memory", QWEN3_NEXT, {"enable_hierarchical_cache": True}),
    ("renamed-option", QWEN3_NEXT, {"mamba_scheduler_strategy": "extra_buffer"}),
    ("context-given-twice", QWEN3_NEXT, {"context_length": 4096, "context": 8192}),
    ("kv-below-context", QWEN3_NEXT, {"requests": 64, "context": 131072}),
    ("no-room-for-state", QWEN3_NEXT, {"available_gpu_memory_gib": 8.0}),
    ("oversized-state-pool", QWEN3_NEXT, {"max_mamba_cache_size": 2000}),
]


@pytest.mark.parametrize(("code", "model", "options"), CASES)
def test_it_is_said(code: str, model: dict[str, Any], options: dict[str, Any]) -> None:
    found = answered(model, **options)
    assert code in codes(found)
    finding = next(f for f in found.findings if f.code == code)
    assert finding.message
    assert finding.hint


@pytest.mark.parametrize(
    ("version", "said"),
    [("0.5.23", False), ("0.5.17.dev2", False), ("0.5.9", True), ("0.6.0", True)],
)
def test_a_version_beyond_those_that_were_read_is_said(version: str, said: bool) -> None:
    found = engine("sglang").answer(question(LLAMA, MEASURED, version=version))
    assert ("version-not-measured" in codes(found)) is said


def test_a_plain_start_of_a_plain_model_says_nothing() -> None:
    assert codes(answered(LLAMA, max_running_requests=2)) == set()


def test_requests_that_do_not_fit_with_their_whole_context_are_said_in_passing() -> None:
    """A headline of running requests would promise too much without it."""
    found = answered(QWEN3_NEXT, max_running_requests=32)
    said = {finding.code: finding.level for finding in found.findings}
    assert said["kv-below-context"] is Level.INFO
    asked = answered(QWEN3_NEXT, max_running_requests=32, requests=32)
    said = {finding.code: finding.level for finding in asked.findings}
    assert said["kv-below-context"] is Level.WARNING


def test_a_hybrid_model_within_its_slots_is_not_warned_about_them() -> None:
    found = codes(answered(QWEN3_NEXT, max_running_requests=32))
    assert not found & {"concurrency-capped", "idle-state-slots", "overlap-off"}


def test_a_refusal_is_an_error_with_sglangs_words() -> None:
    found = answered(QWEN3_NEXT, available_gpu_memory_gib=8.0)
    errors = [f for f in found.findings if f.level is Level.ERROR]
    assert [f.message for f in errors] == [found.refusal]
    assert found.capacity.max_requests == 0
    # The layout goes as far as SGLang's own arithmetic.
    assert found.layout["conv_shapes"] == [[8192, 3]]
    assert "max_total_num_tokens" not in found.layout


def test_the_ratio_it_advises_leaves_no_slots_idle() -> None:
    finding = next(f for f in answered(LFM2).findings if f.code == "idle-state-slots")
    assert "47% of the memory" in finding.message
    ratio = float((finding.hint or "").split()[1])
    after = answered(LFM2, mamba_full_memory_ratio=ratio)
    assert "idle-state-slots" not in codes(after)
    assert after.layout["max_running_requests"] == 4096
    assert after.layout["max_total_num_tokens"] > 3_000_000


def test_the_ratio_it_advises_against_the_cap_runs_all_requests() -> None:
    hint = next(
        f.hint
        for f in answered(QWEN3_NEXT, max_running_requests=100).findings
        if f.code == "concurrency-capped"
    )
    words = (hint or "").removeprefix("one of: ").split("; ")
    assert words[0] == "--max-mamba-cache-size 500"
    ratio = float(words[1].split()[1])
    by_slots = answered(QWEN3_NEXT, max_running_requests=100, max_mamba_cache_size=500)
    by_ratio = answered(QWEN3_NEXT, max_running_requests=100, mamba_full_memory_ratio=ratio)
    assert by_slots.capacity.max_requests == by_ratio.capacity.max_requests == 100
