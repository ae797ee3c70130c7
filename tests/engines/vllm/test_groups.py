"""Layers → groups that share one pool; numbers were computed by vLLM 0.32.0 and 0.33.0."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.vllm.groups import Grouping, _equal_pages, group
from ferrum_cli.engines.vllm.pages import Bucket
from ferrum_cli.engines.vllm.token_pages import TokenPage
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    CODESTRAL,
    FALCON_MAMBA,
    HOPPER,
    JAMBA,
    KIMI_LINEAR,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN35_27B,
    answered,
    started,
)


def grouped(model: str, **changes: Any) -> Grouping:
    found = started(model, POOL, machine=HOPPER, **changes).outcome.grouping
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("model", "size", "groups"),
    [
        # layers with state and with attention → size of a group, groups of each
        (QWEN35_27B, 16, [3, 1]),  # 48 and 16
        (NEMOTRON3_NANO, 6, [4, 1]),  # 23 and 6
        ("nvidia__Nemotron-H-56B-Base-8K", 10, [6, 1]),  # 54 and 10
        (KIMI_LINEAR, 7, [3, 1]),  # 20 and 7
        (JAMBA, 4, [7, 1]),  # 28 and 4
        (FALCON_MAMBA, 64, [1]),
        (CODESTRAL, 64, [1]),
        (LLAMA, 32, [1]),
    ],
)
def test_the_groups_of_published_models(model: str, size: int, groups: list[int]) -> None:
    found = grouped(model)
    assert found.group_size == size
    assert [g.count for g in found.groups] == groups


def test_a_block_costs_what_the_largest_group_really_has() -> None:
    """54 layers make 6 groups of 9, but one group of 10 sets the price (Nemotron-H-56B)."""
    found = grouped("nvidia__Nemotron-H-56B-Base-8K")
    assert found.block_bytes == (10 * found.groups[0].page.page_bytes,)


def test_a_bucket_hardly_larger_than_the_smallest_is_not_split() -> None:
    """Falcon-H1 keeps 44 states and 44 caches; a draft layer more would not split them."""
    found = grouped("tiiuae__Falcon-H1-7B-Instruct")
    assert [g.count for g in found.groups] == [1, 1]


@pytest.mark.parametrize(
    ("parallel", "per_rank"),
    [(Parallel(1, 1), [16]), (Parallel(1, 2), [8, 8]), (Parallel(1, 4), [4, 4, 4, 4])],
)
def test_a_stage_pays_for_its_fullest_group(parallel: Parallel, per_rank: list[int]) -> None:
    layout = answered(QWEN35_27B, POOL, parallel=parallel, machine=HOPPER).layout
    page = layout["state_page_bytes_per_layer"]
    assert layout["pool_bytes_per_block_per_rank"] == [n * page for n in per_rank]


def test_the_layers_of_the_draft_stand_on_the_last_stage() -> None:
    config = {"method": "mtp", "num_speculative_tokens": 1}
    options = POOL | {"speculative_config": config}
    layout = answered(QWEN35_27B, options, parallel=Parallel(1, 2), machine=HOPPER).layout
    page = layout["state_page_bytes_per_layer"]
    assert layout["pool_bytes_per_block_per_rank"] == [8 * page, 9 * page]


def bucket(kind: Any, layers: int, window: int | None = None, tokens: int = 16) -> Bucket:
    return Bucket(TokenPage(kind, tokens, 1024 * tokens, window), (layers,))


@given(
    counts=st.lists(st.integers(1, 100), min_size=2, max_size=4),
    slack=st.sampled_from([0.0, 1.25, 1.5]),
)
def test_every_layer_has_a_place_and_padding_is_less_than_a_group(
    counts: list[int], slack: float
) -> None:
    windows = [None, *range(64, 64 * len(counts), 64)]
    buckets = [
        bucket("full_attention" if window is None else "sliding_window", layers, window)
        for layers, window in zip(counts, windows, strict=True)
    ]
    found = _equal_pages(buckets, slack)
    for groups, layers in zip(found.groups, counts, strict=True):
        assert groups.count * found.group_size == layers + groups.padding_layers
        assert 0 <= groups.padding_layers < found.group_size
    assert found.group_size in (min(counts), max(counts))
    widest = max(-(-layers // g.count) for g, layers in zip(found.groups, counts, strict=True))
    assert found.block_bytes == (widest * 16 * 1024,)


def test_windows_and_full_attention_make_groups_of_one_pool() -> None:
    """gpt-oss: 12 layers of each, so that two groups share every block."""
    config = started(LLAMA, POOL, machine=HOPPER).config
    found = group([bucket("sliding_window", 12, 128), bucket("full_attention", 12)], config)
    assert found is not None
    assert [g.count for g in found.groups] == [1, 1]
    assert found.block_bytes == (12 * 16 * 1024,)


def test_layers_that_need_the_same_blocks_make_one_group() -> None:
    config = started(LLAMA, POOL, machine=HOPPER).config
    found = group([bucket("full_attention", 8), bucket("mla_attention", 8)], config)
    assert found is not None
    assert (found.how, found.block_bytes) == ("uniform", (16 * 16 * 1024,))


def test_a_latent_page_that_does_not_divide_the_largest_is_refused() -> None:
    config = started(LLAMA, POOL, machine=HOPPER).config
    odd = Bucket(TokenPage("mla_attention", 16, 16 * 576), (4,))
    window = Bucket(TokenPage("sliding_window", 16, 16 * 1024, 128), (4,))
    assert group([odd, window], config) is None


def test_a_smaller_page_that_divides_grows_to_the_largest() -> None:
    config = started(LLAMA, POOL, machine=HOPPER).config
    small = Bucket(TokenPage("full_attention", 16, 16 * 512), (4,))
    large = Bucket(TokenPage("sliding_window", 16, 16 * 1024, 128), (4,))
    found = group([small, large], config)
    assert found is not None
    assert [g.page.page_bytes for g in found.groups] == [16 * 1024, 16 * 1024]
    page = found.groups[0].page
    assert isinstance(page, TokenPage)
    assert page.block_size == 32
