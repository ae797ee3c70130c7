"""Figures that people reported from their own servers, with the arithmetic behind them."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines.sglang.start import start
from tests.engines.sglang.asking import QWEN3_NEXT, answered, question, started

GIB = 2**30
QWEN3_5_27B: dict[str, Any] = {
    "architectures": ["Qwen3_5ForConditionalGeneration"],
    "model_type": "qwen3_5",
    "text_config": {
        "model_type": "qwen3_5_text",
        "full_attention_interval": 4,
        "head_dim": 256,
        "hidden_size": 5120,
        "intermediate_size": 17408,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 48,
        "max_position_embeddings": 262144,
        "num_attention_heads": 24,
        "num_hidden_layers": 64,
        "num_key_value_heads": 4,
        "vocab_size": 248320,
    },
    "torch_dtype": "bfloat16",
}
"""The geometry of Qwen3.5-27B, which Qwen3.8-27B and Qwopus3.6-27B share."""


def test_47_slots_run_9_of_32_requests() -> None:
    # sgl-project/sglang#38846, SGLang 0.5.19 on an RTX 6000 Ada.
    found = answered(
        QWEN3_5_27B, max_running_requests=32, max_mamba_cache_size=47, available_gpu_memory_gib=18.0
    )
    assert found.capacity.max_requests == 9
    assert found.capacity.limited_by == "slots"
    finding = next(f for f in found.findings if f.code == "concurrency-capped")
    assert "47 slots // 5 per request = 9" in finding.message
    assert "--max-mamba-cache-size 160" in (finding.hint or "")
    assert "--mamba-ssm-dtype bfloat16" in (finding.hint or "")


def test_64_slots_run_12_of_16_requests() -> None:
    # MiaAI-Lab/Qwen3.8-27B-SGLang-DGX-Spark#7: 80 slots would have been needed.
    found = answered(QWEN3_5_27B, max_running_requests=16, max_mamba_cache_size=64)
    assert found.capacity.max_requests == 12
    finding = next(f for f in found.findings if f.code == "concurrency-capped")
    assert "--max-mamba-cache-size 80" in (finding.hint or "")


def test_a_slot_of_the_27b_model_is_153_94_megabytes_and_a_token_32768_bytes_in_fp8() -> None:
    # A public cookbook of October 2026.
    found = started(QWEN3_5_27B, kv_cache_dtype="fp8_e4m3")
    assert found.slot is not None
    assert found.slot.size_bytes == 153_944_064
    assert found.cells[0].full == 32_768


def test_a_fraction_below_the_weights_gives_minus_28_slots() -> None:
    # SGLang 0.5.17 on an MI355X of 288 GB with --mem-fraction-static 0.25: rest -7.96 GB.
    asked = {
        "mem_fraction_static": 0.25,
        "pre_model_load_memory_gib": 283.0,
        "available_gpu_memory_gib": 283.0 * 0.75 - 7.96,
        "language_model_only": True,
    }
    refusal = start(question(QWEN3_5_27B, asked, version="0.5.17")).refusal
    assert refusal is not None
    assert "Computed max_mamba_cache_size=-28 (total_rest_memory=-7.96 GB" in refusal.text
    assert "mamba_cache_per_req=146.81 MB" in refusal.text


@pytest.mark.parametrize(
    ("slots", "conv", "temporal"),
    # Qwen3.8-27B-FP8 on an H100 with 124 slots: 0.34 and 17.58 "GB".
    [(124, "0.34", "17.58")],
)
def test_the_logged_sizes_are_those_that_were_seen(slots: int, conv: str, temporal: str) -> None:
    found = answered(QWEN3_5_27B, max_mamba_cache_size=slots)
    text = next(line.text for line in found.log_lines if line.key == "state_allocated")
    assert f"conv_state size: {conv}GB, ssm_state size: {temporal}GB " in text


def test_16_slots_and_a_padding_row_of_the_4b_model_are_875_692_032_bytes() -> None:
    small = {
        **QWEN3_5_27B["text_config"],
        "hidden_size": 2560,
        "num_attention_heads": 16,
        "linear_num_value_heads": 32,
        "num_hidden_layers": 32,
    }
    config = {**QWEN3_5_27B, "text_config": small}
    assert answered(config, max_mamba_cache_size=16).layout["state_pool_bytes"] == 875_692_032


def test_states_of_draft_tokens_in_bfloat16_take_1_05_gigabytes() -> None:
    # Qwen3.8-Flash-Next with NEXTN: 36 layers, 48 value heads, four requests, four draft tokens.
    config = QWEN3_NEXT | {"linear_num_value_heads": 48}
    found = answered(
        config,
        max_mamba_cache_size=48,
        mamba_ssm_dtype="bfloat16",
        max_running_requests=4,
        speculative_algorithm="NEXTN",
        speculative_num_steps=3,
        speculative_eagle_topk=1,
        speculative_num_draft_tokens=4,
    )
    text = next(x.text for x in found.log_lines if x.key == "state_allocated_with_drafts")
    assert "ssm_state size: 2.58GB intermediate_ssm_state_cache size: 1.05GB" in text
