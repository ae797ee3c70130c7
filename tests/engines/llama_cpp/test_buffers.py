"""Buffers beside state and KV: outputs to the byte, compute buffers as an interval."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.llama_cpp.buffers import compute_terms, output_bytes, server_outputs
from tests.engines.llama_cpp.asking import (
    LFM25,
    LLAMA,
    MIB,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    deployed,
)


def interval(name: str, options: dict[str, Any] | None = None) -> tuple[int, int]:
    found = answered(name, options).layout["compute_buffer_bytes"]
    return found["low"], found["high"]


@pytest.mark.parametrize(("slots", "size"), [(1, 0.95), (4, 3.79)])
def test_the_output_buffer_holds_one_row_of_logits_for_each_slot(slots: int, size: float) -> None:
    """0.95 MiB for Qwen3.5's 248,320 tokens in every public log of one slot."""
    deployment = deployed(QWEN35_27B, {"parallel": slots})
    found = output_bytes(deployment.question.model, deployment.launch.sizes())
    assert f"{found / MIB:.2f}" == f"{size:.2f}"


@pytest.mark.parametrize(
    ("options", "slots", "outputs"),
    [
        ({}, 4, 4),
        ({"spec_type": ["draft-mtp"], "spec_draft_n_max": 6}, 4, 28),
        ({"spec_type": ["ngram-mod"]}, 1, 65),
        ({"batch_size": 3, "parallel": 3}, 3, 3),
        ({"spec_type": ["draft-mtp"], "batch_size": 16}, 8, 16),
    ],
)
def test_the_server_asks_for_a_row_for_each_slot_and_each_proposed_token(
    options: dict[str, Any], slots: int, outputs: int
) -> None:
    launch = deployed(QWEN35_27B, {"parallel": slots, **options}).launch
    assert server_outputs(launch, slots) == outputs


@pytest.mark.parametrize(
    ("name", "options", "measured"),
    [
        (QWEN35_27B, {"parallel": 1, "ctx_size": 32768}, 38.5),
        (
            QWEN35_27B,
            {
                "parallel": 1,
                "ctx_size": 262144,
                "spec_type": ["draft-mtp"],
                "spec_draft_n_max": 6,
            },
            488.0,
        ),
        (QWEN3_NEXT, {"ctx_size": 131072}, 216.38),
    ],
)
def test_a_public_log_lies_in_the_interval(
    name: str, options: dict[str, Any], measured: float
) -> None:
    """Public logs of 2026: b10809 on CUDA, a ROCm and a Vulkan build."""
    low, high = interval(name, options)
    assert low / MIB <= measured <= high / MIB


@given(
    st.sampled_from([QWEN35_27B, LFM25, LLAMA]),
    st.integers(1, 64),
    st.integers(1, 2048),
    st.integers(64, 200_000),
)
def test_the_interval_is_one(name: str, slots: int, ubatch: int, context: int) -> None:
    low, high = interval(name, {"parallel": slots, "ubatch_size": ubatch, "ctx_size": context})
    assert 0 < low < high


@given(st.sampled_from([QWEN35_27B, LFM25, LLAMA]), st.integers(64, 1024), st.integers(1, 16))
def test_more_tokens_and_more_slots_never_need_less(name: str, ubatch: int, slots: int) -> None:
    base = interval(name, {"parallel": slots, "ubatch_size": ubatch, "ctx_size": 65536})
    for more in ({"ubatch_size": ubatch + 64}, {"parallel": slots + 1}):
        options = {"parallel": slots, "ubatch_size": ubatch, "ctx_size": 65536, **more}
        grown = interval(name, options)
        assert grown[0] >= base[0]


def test_scores_of_all_heads_are_counted_without_flash_attention() -> None:
    options: dict[str, Any] = {"parallel": 1, "ctx_size": 32768}
    flash = interval(LLAMA, options)[1]
    scores = interval(LLAMA, {**options, "flash_attn": "off"})[1]
    assert scores - flash == 512 * 32768 * (4 * (1 + 32) - 2)


def test_caches_in_float32_are_copied_for_flash_attention() -> None:
    options: dict[str, Any] = {"parallel": 2, "ctx_size": 8192}
    half = interval(LLAMA, options)[1]
    whole = interval(LLAMA, {**options, "cache_type_k": "f32", "cache_type_v": "f32"})[1]
    assert whole - half == 2 * 8192 * (1024 + 1024)


MEASURED: list[tuple[str, dict[str, Any], int]] = [
    ("synthetic-glm5-next-L8", {"ctx_size": 4096, "parallel": 1}, 17_672_736),
    ("synthetic-glm5-next-L8", {"ctx_size": 131_072, "parallel": 1}, 315_054_624),
    (
        "synthetic-glm5-next-L8",
        {"ctx_size": 32_768, "parallel": 4, "kv_unified": True},
        295_393_824,
    ),
    ("synthetic-glm5-next-L8", {"ctx_size": 32_768, "parallel": 4}, 83_155_488),
    (
        "synthetic-glm5-next-L8",
        {"ctx_size": 32_768, "parallel": 1, "flash_attn": "off"},
        298_639_072,
    ),
    ("synthetic-qwen4exp-L8", {"ctx_size": 4096, "parallel": 1}, 76_066_624),
    ("synthetic-qwen4exp-L8", {"ctx_size": 131_072, "parallel": 1}, 1_766_928_192),
    ("synthetic-qwen4exp-L8", {"ctx_size": 32_768, "parallel": 4}, 134_131_520),
    (
        "synthetic-qwen4exp-L8",
        {"ctx_size": 32_768, "parallel": 1, "flash_attn": "off"},
        672_754_720,
    ),
    (
        "synthetic-kimi-k3-L8",
        {"ctx_size": 1_000_000, "parallel": 1, "ubatch_size": 33, "flash_attn": "off"},
        3_272_683_136,
    ),
    (
        "kimi-linear-48b-a3b",
        {"ctx_size": 1_000_000, "parallel": 1, "ubatch_size": 33, "flash_attn": "off"},
        5_387_656_832,
    ),
    (
        "plamo-2-8b",
        {"ctx_size": 1_000_000, "parallel": 1, "ubatch_size": 33, "flash_attn": "off"},
        4_358_594_336,
    ),
    (
        "mini-minimax-text-01-L8",
        {"ctx_size": 4096, "parallel": 1, "batch_size": 2048, "ubatch_size": 2048},
        3_771_842_880,
    ),
    (
        "mini-minimax-text-01-L8",
        {"ctx_size": 8192, "parallel": 2, "batch_size": 2048, "ubatch_size": 2048},
        2_161_230_144,
    ),
    (
        "arwkv7-7b",
        {"ctx_size": 4096, "parallel": 1, "batch_size": 2048, "ubatch_size": 2048},
        753_709_088,
    ),
]


@pytest.mark.parametrize(("name", "options", "measured"), MEASURED)
def test_what_a_long_context_needs_is_in_the_interval(
    name: str, options: dict[str, Any], measured: int
) -> None:
    """Measured with 0c1e57098 on a CPU; indexers with a batch of 100 tokens."""
    deployment = deployed(name, {"batch_size": 100, "ubatch_size": 100, **options})
    launch = deployment.launch
    found = compute_terms(
        deployment.question.model,
        deployment.architecture,
        deployment.inventory,
        launch,
        launch.sizes(),
        launch.batch,
    ).interval
    assert found.low <= measured <= found.high
    assert found.high < 8 * measured


@pytest.mark.parametrize(
    ("slots", "context", "measured"),
    [(1, 8192, 136_333_344), (1, 131_072, 205_539_360), (4, 131_072, 136_333_344)],
)
def test_a_context_of_drafts_has_a_compute_buffer_of_its_own(
    slots: int, context: int, measured: int
) -> None:
    """Measured with 0c1e57098 on a CPU: Qwen3.5-27B, one output for each slot."""
    options = {"parallel": slots, "ctx_size": context, "spec_type": ["draft-mtp"]}
    found = answered(QWEN35_27B, options)
    draft, own = (found.layout[f"{x}compute_buffer_bytes"] for x in ("draft_", ""))
    assert draft["low"] <= measured <= draft["high"]
    (line,) = (line for line in found.memory if line.name.startswith("compute buffers"))
    assert line.size_bytes == own["high"] + draft["high"]
    alone = answered(QWEN35_27B, {"parallel": slots, "ctx_size": context, "n_rs_seq": 3}).layout
    assert alone["draft_compute_buffer_bytes"] == {"low": 0, "high": 0}
