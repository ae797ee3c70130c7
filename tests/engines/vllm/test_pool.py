"""Blocks of a pool, and of a request."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.vllm.pool import (
    checked_bytes,
    held,
    held_blocks,
    in_flight_tokens,
    longest,
    needed,
    request_blocks,
    requested_bytes,
)
from ferrum_cli.engines.vllm.start import Start
from ferrum_cli.engines.vllm.token_pages import TokenPage
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    GIB,
    HOPPER,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    started,
)


def begun(model: str = QWEN35_27B, **options: Any) -> Start:
    return started(model, POOL | {"max_model_len": 32768} | options, machine=HOPPER)


@given(st.integers(1, 262144))
def test_a_request_never_holds_more_than_it_is_counted_for(tokens: int) -> None:
    found = begun()
    config, grouping = found.config, found.grouping
    assert held_blocks(grouping, config, tokens) <= request_blocks(grouping, config, tokens)


@given(st.integers(1, 262143))
def test_a_longer_request_holds_no_less(tokens: int) -> None:
    found = begun()
    config, grouping = found.config, found.grouping
    shorter = held_blocks(grouping, config, tokens)
    assert shorter <= held_blocks(grouping, config, tokens + 1)


@given(st.integers(0, 60 * GIB))
def test_the_longest_length_fits_and_one_token_more_does_not(room: int) -> None:
    found = begun(max_model_len=262144)
    config, grouping = found.config, found.grouping
    size = grouping.block_bytes[0]
    fitting = longest(grouping, config, room, 0)
    if fitting:
        assert request_blocks(grouping, config, fitting) * size <= room
    if fitting < config.max_model_len:
        assert request_blocks(grouping, config, fitting + 1) * size > room


@pytest.mark.parametrize(
    ("options", "counted", "holding"),
    [
        ({"enable_prefix_caching": False}, 1, 1),
        ({}, 3, 1),  # align: 2, and one for checkpoints of FlashInfer's prefill
        ({"gdn_prefill_backend": "triton"}, 2, 1),
        ({"speculative_config": {"method": "ngram", "num_speculative_tokens": 3}}, 6, 4),
    ],
)
def test_states_that_are_counted_and_held(
    options: dict[str, Any], counted: int, holding: int
) -> None:
    found = begun(**options)
    state = found.grouping.groups[0].page
    assert needed(state, found.config, 32768) == counted
    assert held(state, found.config, 32768) == holding


def test_mamba2_counts_a_checkpoint_block_whatever_the_device() -> None:
    found = begun(NEMOTRON3_NANO)
    assert needed(found.grouping.groups[0].page, found.config, 32768) == 3


def test_ranks_of_a_decode_share_its_tokens_out() -> None:
    """Qwen3-Next tp 8 dcp 4, computed by vLLM 0.33.0: 9 blocks of state and 43 of tokens."""
    options = POOL | {"max_model_len": 32768, "decode_context_parallel_size": 4}
    layout = answered(QWEN3_NEXT, options, parallel=Parallel(8), machine=HOPPER).layout
    assert [g["blocks_per_request"] for g in layout["kv_cache_groups"]] == [3, 43]
    assert layout["blocks_per_max_len_request"] == 9 + 43


@pytest.mark.parametrize(("tokens", "blocks"), [(1, 1), (16, 1), (17, 2), (1000, 9), (100_000, 9)])
def test_a_window_may_begin_anywhere_in_a_block(tokens: int, blocks: int) -> None:
    page = TokenPage("sliding_window", 16, 16 * 1024, window=128)
    assert held(page, begun().config, tokens) == blocks


def test_a_window_is_counted_with_the_tokens_in_flight() -> None:
    """v1/kv_cache_interface.py, SlidingWindowSpec, vLLM 0.33.0."""
    config = begun(max_num_batched_tokens=1024).config
    page = TokenPage("sliding_window", 16, 16 * 1024, window=128)
    assert in_flight_tokens(config) == 2048
    assert needed(page, config, 32768) == -(-(127 + 2048) // 16) + 1


def test_the_rank_with_fewest_blocks_decides() -> None:
    options = POOL | {"kv_cache_memory_bytes": [40 * GIB, 20 * GIB]}
    layout = answered(QWEN35_27B, options, parallel=Parallel(1, 2), machine=HOPPER).layout
    assert layout["num_gpu_blocks"] == 20 * GIB // layout["pool_bytes_per_block_per_rank"][1]


def test_one_block_is_held_back_from_0_30_on() -> None:
    found = begun()
    size = found.grouping.block_bytes[0]
    assert checked_bytes(found.grouping, found.config, [10 * size]) == [9 * size]
    older = started(QWEN35_27B, POOL, version="0.28.0", machine=HOPPER)
    size = older.grouping.block_bytes[0]
    assert checked_bytes(older.grouping, older.config, [10 * size]) == [10 * size]


def test_an_override_replaces_what_memory_gives() -> None:
    found = begun(num_gpu_blocks_override=500)
    assert found.outcome.pool is not None
    assert found.outcome.pool.num_blocks == 500


def test_without_memory_there_are_no_numbers_of_blocks() -> None:
    layout = answered(LLAMA, {"max_num_seqs": 8}, machine=HOPPER).layout
    assert layout["num_gpu_blocks"] is None
    assert layout["max_concurrency"] is None
    assert layout["running_limit"] is None
    assert layout["blocks_per_max_len_request"] is not None


@pytest.mark.parametrize(("memory", "share", "size"), [(100, 0.92, 92), (101, 0.92, 93)])
def test_the_share_of_a_device_is_rounded_up(memory: int, share: float, size: int) -> None:
    assert requested_bytes(memory, share) == size
