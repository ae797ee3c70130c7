"""The prefix cache's strategy, and slots for each running request."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.expand import Parallel
from tests.engines.sglang.asking import FALCON_MAMBA, LFM2, QWEN3_NEXT, started

# Computed by SGLang 0.5.23's own classes, or read in arg_groups/overrides.py where marked.
RATIOS: list[tuple[dict[str, Any], dict[str, Any], str, int, bool]] = [
    (QWEN3_NEXT, {}, "extra_buffer", 5, True),
    (QWEN3_NEXT, {"parallel": Parallel(pp=2)}, "extra_buffer", 4, False),
    (QWEN3_NEXT, {"disable_overlap_schedule": True}, "no_buffer", 3, False),
    (QWEN3_NEXT, {"disable_overlap_schedule": True, "page_size": 64}, "extra_buffer", 4, False),
    (QWEN3_NEXT, {"linear_attn_backend": "flashkda"}, "no_buffer", 3, False),
    (QWEN3_NEXT, {"mamba_radix_cache_strategy": "extra_buffer_lazy"}, "extra_buffer_lazy", 4, True),
    (QWEN3_NEXT, {"mamba_scheduler_strategy": "extra_buffer_lazy"}, "extra_buffer_lazy", 4, True),
    (QWEN3_NEXT, {"disable_radix_cache": True}, "auto", 1, True),
    (QWEN3_NEXT, {"disaggregation_mode": "decode"}, "auto", 1, True),
    (QWEN3_NEXT, {"SGLANG_OPT_MAMBA_SKIP_DECODE_LOCK": True}, "extra_buffer", 4, True),
    (LFM2, {"SGLANG_OPT_MAMBA_SKIP_DECODE_LOCK": True}, "no_buffer", 3, False),
    (LFM2, {}, "no_buffer", 3, False),
    (FALCON_MAMBA, {}, "auto", 3, True),
]


@pytest.mark.parametrize(("model", "options", "strategy", "ratio", "overlap"), RATIOS)
def test_strategy_ratio_and_overlap_follow_architecture_and_flags(
    model: dict[str, Any], options: dict[str, Any], strategy: str, ratio: int, overlap: bool
) -> None:
    launch = started(model, **options).launch
    assert launch is not None
    found = launch.strategy
    assert (found.name, found.slots_per_request, found.overlap) == (strategy, ratio, overlap)


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        QWEN3_NEXT,
        {"mamba_radix_cache_strategy": "no_buffer"},
        (
            "AssertionError: no_buffer do not support overlap schedule. Try to set"
            " disable_overlap_schedule=True."
        ),
    ),
    (
        QWEN3_NEXT,
        {"mamba_radix_cache_strategy": "no_buffer", "page_size": 64},
        "AssertionError: no_buffer only supports page_size=1.",
    ),
    (
        LFM2,
        {"mamba_radix_cache_strategy": "extra_buffer"},
        "AssertionError: extra_buffer is not supported for Lfm2ForCausalLM; use no_buffer.",
    ),
    (
        FALCON_MAMBA,
        {"mamba_radix_cache_strategy": "extra_buffer"},
        (
            "ValueError: --mamba-radix-cache-strategy extra_buffer needs mamba state, got"
            " FalconMambaForCausalLM."
        ),
    ),
    (
        QWEN3_NEXT,
        {"mamba_radix_cache_strategy": "extra_buffer_lazy", "disable_overlap_schedule": True},
        (
            "AssertionError: Lazy extra buffer requires overlap schedule"
            " (--disable-overlap-schedule is incompatible)"
        ),
    ),
    (
        QWEN3_NEXT,
        {"mamba_radix_cache_strategy": "extra_buffer_lazy", "disaggregation_mode": "prefill"},
        (
            "AssertionError: extra_buffer_lazy unsupported under PD disaggregation; use"
            " --mamba-radix-cache-strategy extra_buffer."
        ),
    ),
    (QWEN3_NEXT, {"page_size": 96}, "AssertionError"),
]


@pytest.mark.parametrize(("model", "options", "words"), REFUSED)
def test_a_strategy_that_cannot_be_is_refused_in_sglangs_words(
    model: dict[str, Any], options: dict[str, Any], words: str
) -> None:
    refusal = started(model, **options).refusal
    assert refusal is not None
    assert refusal.text == words
    assert refusal.hint
