"""Every byte of the fullest device has one line."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Answer, Machine, MemoryLine, Weights
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    CODESTRAL,
    GIB,
    HOPPER,
    JAMBA,
    KIMI_K3,
    LFM2,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
)

H200 = Machine(141 * GIB, "H200", (9, 0), 4 * GIB)
MODELS = (QWEN3_NEXT, QWEN35_27B, NEMOTRON3_NANO, JAMBA, LFM2, CODESTRAL, LLAMA)


def of(answer: Answer, name: str) -> MemoryLine:
    return next(line for line in answer.memory if line.name == name)


def sized(model: str, options: dict[str, Any] | None = None, **changes: Any) -> Answer:
    fields: dict[str, Any] = {"machine": H200, "context": 20000, "requests": 5}
    fields |= {"weights": Weights((20 * GIB,), "measured")}
    return answered(model, {"max_num_seqs": 8} | (options or {}), **(fields | changes))


@pytest.mark.parametrize("model", MODELS)
def test_the_lines_add_up_to_the_devices_last_byte(model: str) -> None:
    answer = sized(model)
    assert answer.refusal is None
    assert sum(line.size_bytes for line in answer.memory) == 141 * GIB
    assert all(line.size_bytes >= 0 for line in answer.memory)


@pytest.mark.parametrize("model", MODELS)
def test_requests_fill_what_their_tensors_and_tokens_do(model: str) -> None:
    answer = sized(model)
    assert of(answer, "recurrent state").size_bytes == 5 * answer.bytes_per_slot
    assert of(answer, "KV cache").size_bytes == 5 * answer.kv.bytes_at_context


@pytest.mark.parametrize("model", MODELS)
def test_what_requests_hold_is_whole_blocks(model: str) -> None:
    answer = sized(model)
    named = ("recurrent state", "KV cache", "padding of pages", "padding of groups")
    held = sum(of(answer, name).size_bytes for name in named)
    block = answer.layout["pool_bytes_per_block_per_rank"][0]
    assert held % (5 * block) == 0
    assert of(answer, "null block").size_bytes == block


def test_drafts_hold_states_of_their_own() -> None:
    config = {"method": "ngram", "num_speculative_tokens": 3}
    answer = sized(QWEN3_NEXT, {"speculative_config": config})
    assert of(answer, "recurrent state").size_bytes == 5 * 4 * answer.bytes_per_slot


def test_the_budget_counts_what_requests_need_and_no_free_memory() -> None:
    answer = sized(QWEN3_NEXT)
    budgeted = {line.name for line in answer.memory if line.budgeted}
    assert budgeted == {
        *("weights", "recurrent state", "KV cache"),
        *("padding of pages", "padding of groups", "null block"),
    }


def test_requests_beyond_the_pool_leave_no_free_blocks() -> None:
    answer = sized(QWEN3_NEXT, requests=100_000)
    names = {line.name for line in answer.memory}
    assert "free blocks" not in names
    assert sum(line.size_bytes for line in answer.memory) > 141 * GIB


def test_records_beside_the_pool_have_a_line() -> None:
    """Kimi-K3 at tp 8 with 3 drafts for 256 requests: 868,220,928 bytes (vLLM 0.33.0)."""
    options = {
        "use_replayssm": True,
        "speculative_config": {"method": "ngram", "num_speculative_tokens": 3},
        "max_num_seqs": 256,
    }
    answer = sized(KIMI_K3, options, parallel=Parallel(8), weights=Weights((20 * GIB,), "some"))
    assert of(answer, "RecoverSSM records").size_bytes == 868_220_928
    assert sum(line.size_bytes for line in answer.memory) == 141 * GIB


def test_the_fullest_stage_is_shown() -> None:
    weights = Weights((10 * GIB, 30 * GIB), "measured")
    answer = sized(QWEN35_27B, parallel=Parallel(1, 2), weights=weights)
    assert of(answer, "weights").size_bytes == 30 * GIB
    assert sum(line.size_bytes for line in answer.memory) == 141 * GIB


def test_a_pool_that_was_given_leaves_the_rest_of_the_device_outside() -> None:
    answer = sized(QWEN35_27B, {"kv_cache_memory_bytes": [40 * GIB]})
    assert of(answer, "outside vLLM").size_bytes == (141 - 20 - 4 - 40) * GIB


def test_without_memory_only_the_requests_are_counted() -> None:
    answer = sized(QWEN35_27B, machine=HOPPER)
    assert {line.name for line in answer.memory} == {
        *("weights", "recurrent state", "KV cache", "padding of pages", "padding of groups"),
        *("null block", "overhead"),
    }


def test_an_early_refusal_shows_weights_alone() -> None:
    answer = answered(QWEN3_NEXT, POOL, parallel=Parallel(3), machine=HOPPER)
    assert [line.name for line in answer.memory] == ["weights", "overhead"]
