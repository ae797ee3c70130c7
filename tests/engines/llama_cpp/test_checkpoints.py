"""Context checkpoints and the prompt cache in host memory: sizes, numbers, what is capped."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Answer
from ferrum_cli.engines.llama_cpp.checkpoints import checkpoint_bytes
from tests.engines.llama_cpp.asking import (
    LFM25,
    LLAMA,
    MIB,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    codes,
    deployed,
    finding,
    gguf,
)
from tests.gguf_files import MODELS

CHECKPOINTS, PROMPTS = "context checkpoints, at most", "prompt cache, at most"


def host(found: Answer, name: str) -> int:
    (line,) = (line for line in found.memory if line.host and line.name == name)
    assert not line.budgeted
    return line.size_bytes


def test_a_checkpoint_is_one_slots_state_with_headers() -> None:
    """28 B, and 24 B for each of 48 layers, around 149.625 MiB (ggml-org/llama.cpp#24055)."""
    found = answered(QWEN35_27B, {"parallel": 4}).layout
    assert found["checkpoint_bytes"] == 156_893_184 + 28 + 24 * 48


@pytest.mark.parametrize("options", [{"parallel": 1}, {"parallel": 7}, {"n_rs_seq": 3}])
def test_a_checkpoint_has_no_more_slots_and_no_snapshots(options: dict[str, Any]) -> None:
    alone = answered(QWEN35_27B, {"parallel": 4}).layout["checkpoint_bytes"]
    assert answered(QWEN35_27B, options).layout["checkpoint_bytes"] == alone


def test_every_slot_may_keep_thirty_two_of_them() -> None:
    """unslothai/unsloth#11073: 32 × 149.6 MiB × 4 slots = 18.7 GiB of host memory."""
    found = answered(QWEN35_27B)
    one = found.layout["checkpoint_bytes"]
    assert host(found, CHECKPOINTS) == 4 * 32 * one
    assert "128 context checkpoints of" in finding(found, "checkpoints-in-host-memory").message


def test_the_number_is_an_option() -> None:
    found = answered(QWEN35_27B, {"parallel": 2, "ctx_checkpoints": 5})
    assert host(found, CHECKPOINTS) == 2 * 5 * found.layout["checkpoint_bytes"]
    none = answered(QWEN35_27B, {"ctx_checkpoints": 0})
    assert host(none, CHECKPOINTS) == 0
    assert "checkpoints-in-host-memory" not in codes(none)


def test_speculation_without_rollback_keeps_one_more_for_each_slot() -> None:
    options: dict[str, Any] = {"parallel": 2, "spec_type": ["ngram-simple"]}
    found = answered(QWEN3_NEXT, options)
    assert host(found, CHECKPOINTS) == 2 * 33 * found.layout["checkpoint_bytes"]


def test_a_draft_context_adds_its_whole_prefix_to_each() -> None:
    options: dict[str, Any] = {"parallel": 1, "ctx_size": 8192, "spec_type": ["draft-mtp"]}
    found = answered(QWEN35_27B, options)
    one = found.layout["checkpoint_bytes"] + found.layout["draft_kv_bytes"]
    assert found.layout["draft_kv_bytes"] == 2 * 4 * 256 * 2 * 8192
    assert host(found, CHECKPOINTS) == 32 * one


def test_a_model_without_state_needs_no_checkpoint() -> None:
    found = answered(LLAMA)
    assert found.layout["checkpoint_bytes"] == 0
    assert host(found, CHECKPOINTS) == 0


def test_windows_are_kept_with_the_state_unless_the_cache_is_full() -> None:
    windowed = gguf(MODELS["lfm2-1.2b"] | {"lfm2.attention.sliding_window": 1024})
    state = answered("lfm2-1.2b", {"parallel": 1}).layout["checkpoint_bytes"]
    one = answered(windowed, {"parallel": 1}).layout["checkpoint_bytes"]
    layers = 6
    rows = 1024 * (8 + layers * 2 * 2 * 8 * 64) + layers * 24 + 4 * 4
    assert one == state + rows
    assert answered(windowed, {"swa_full": True}).layout["checkpoint_bytes"] == state


def test_n_gram_history_is_kept_with_its_own_header() -> None:
    deployment = deployed("synthetic-qwen4exp-L8", {"parallel": 1})
    found = deployment.inventory
    expected = 28 + sum(
        24 + 4 * layer.r + 4 * layer.s + (8 + 4 * layer.p if layer.p else 0)
        for layer in found.state
    )
    assert any(layer.p for layer in found.state)
    assert checkpoint_bytes(found, deployment.launch) == expected


@pytest.mark.parametrize(("limit", "expected"), [(8192, 8192 * MIB), (1, MIB), (0, 0)])
def test_the_prompt_cache_is_capped_in_mebibytes(limit: int, expected: int) -> None:
    assert host(answered(QWEN35_27B, {"cache_ram": limit}), PROMPTS) == expected


def test_a_prompt_cache_without_a_limit_is_said_to_have_none() -> None:
    found = answered(QWEN35_27B, {"cache_ram": -1, "parallel": 2, "ctx_size": 8192})
    entry = found.bytes_per_slot + found.layout["kv_bytes"] // 2
    assert host(found, "prompt cache") == entry
    assert "grow without limit" in finding(found, "prompt-cache-unlimited").message


def test_host_memory_is_no_part_of_a_devices_need() -> None:
    few = answered(LFM25, {"ctx_checkpoints": 0, "cache_ram": 0}, memory=8 * 2**30)
    many = answered(LFM25, {"ctx_checkpoints": 900, "cache_ram": -1}, memory=8 * 2**30)
    assert few.capacity == many.capacity
