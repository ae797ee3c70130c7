"""At which tokens prefixes hit (v1/core/kv_cache_utils.py, vLLM 0.33.0)."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines.vllm.prefix_cache import block_sizes, checkpoint_scratch_bytes, hit_unit
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    AMPERE,
    CODESTRAL,
    HOPPER,
    JAMBA,
    POOL,
    QWEN35_27B,
    answered,
    codes,
    finding,
    started,
)

MIB = 2**20


@pytest.mark.parametrize(
    ("model", "options", "unit"),
    [
        (QWEN35_27B, {}, 832),
        (QWEN35_27B, {"prefix_match_unit": 64}, 64),
        (JAMBA, {}, 80),
        (CODESTRAL, {"enable_prefix_caching": True}, 16),
    ],
)
def test_prefixes_hit_at_blocks_or_finer_where_asked(
    model: str, options: dict[str, Any], unit: int
) -> None:
    found = started(model, POOL | options, machine=HOPPER)
    assert hit_unit(found.grouping, found.config) == unit


def test_a_block_spans_the_tokens_of_all_ranks_that_share_a_decode() -> None:
    options = POOL | {"decode_context_parallel_size": 2}
    found = started(QWEN35_27B, options, parallel=Parallel(8), machine=HOPPER)
    states, tokens = (
        set(block_sizes(found.grouping, found.config)[:3]),
        block_sizes(found.grouping, found.config)[-1],
    )
    assert states == {448}
    assert tokens == 2 * 448


@pytest.mark.parametrize(
    ("batched", "grid", "mib"), [(8192, 832, 30), (8192, 64, 384), (16384, 64, 768)]
)
def test_what_checkpoints_of_a_step_take(batched: int, grid: int, mib: int) -> None:
    """Qwen3.5-27B, ceil(tokens / grid) × 48 × 128 × 128 × 4 bytes."""
    found = started(QWEN35_27B, POOL | {"max_num_batched_tokens": batched}, machine=HOPPER)
    size = checkpoint_scratch_bytes(found.outcome.inventory, found.config, grid)
    assert size == mib * MIB


def test_no_checkpoints_are_taken_without_flashinfer_or_prefix_caching() -> None:
    for changes in ({"machine": AMPERE}, {"options": {"enable_prefix_caching": False}}):
        options = POOL | changes.get("options", {})
        found = started(QWEN35_27B, options, machine=changes.get("machine", HOPPER))
        assert checkpoint_scratch_bytes(found.outcome.inventory, found.config, 64) == 0


def test_short_prefixes_that_never_hit_are_said_with_a_way_out() -> None:
    found = finding(answered(QWEN35_27B, POOL, machine=HOPPER), "short-prefixes-miss")
    assert found is not None
    assert "832 tokens" in found.message
    assert "--prefix-match-unit 64" in (found.hint or "")
    off = answered(QWEN35_27B, POOL | {"enable_prefix_caching": False}, machine=HOPPER)
    assert "short-prefixes-miss" not in codes(off)


def test_a_version_without_the_option_is_not_told_to_use_it() -> None:
    options = POOL | {"enable_prefix_caching": True}
    answer = answered(QWEN35_27B, options, version="0.23.0", machine=HOPPER)
    found = finding(answer, "short-prefixes-miss")
    assert found is not None
    assert found.hint is None


def test_a_fine_unit_that_takes_much_scratch_is_warned_of() -> None:
    options = POOL | {"prefix_match_unit": 64, "max_num_batched_tokens": 8192}
    found = finding(answered(QWEN35_27B, options, machine=HOPPER), "checkpoint-scratch")
    assert found is not None
    assert "384.00 MiB" in found.message
