"""Layouts whose outermost axis is the block (GLM-5-Next, computed by vLLM 0.33.0)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.vllm.packed_groups import bundle, group_counts, least_padding
from ferrum_cli.engines.vllm.pages import Bucket
from ferrum_cli.engines.vllm.token_pages import TokenPage


@pytest.mark.parametrize(
    ("numbers", "lowest", "divisor"),
    [
        ([36, 12, 12], 12, 12),
        ([34, 11, 11], 11, 12),  # 12 pads 2 + 1 + 1, 11 pads 10
        ([5, 5], 5, 5),
        ([7], 1, 7),
    ],
)
def test_the_divisor_that_pads_least_is_taken(
    numbers: list[int], lowest: int, divisor: int
) -> None:
    assert least_padding(numbers, lowest) == divisor


@given(st.lists(st.integers(1, 60), min_size=1, max_size=4))
def test_no_divisor_pads_less(numbers: list[int]) -> None:
    lowest = min(numbers)
    best = least_padding(numbers, lowest)
    padding = sum(-n % best for n in numbers)
    for other in range(lowest, max(numbers) + 1):
        assert padding <= sum(-n % other for n in numbers)


def page(kind: str, size: int, layers: int) -> Bucket:
    return Bucket(TokenPage(kind, 64, size), (layers,))  # type: ignore[arg-type]


def test_full_attention_of_one_block_size_stays_together() -> None:
    bundles = bundle(
        [
            page("mla_attention", 64 * 1024, 12),
            page("full_attention", 64 * 128, 12),
            page("circular_buffer", 4096, 12),
        ]
    )
    assert [len(b.pages) for b in bundles] == [2, 1]
    assert bundles[0].balanced
    assert bundles[0].repeats == 12


def test_rings_are_split_until_they_fit_the_block() -> None:
    bundles = bundle(
        [
            page("mla_attention", 1000, 4),
            page("full_attention", 100, 4),
            page("circular_buffer", 2200, 6),
        ]
    )
    # The pattern of 4 repeats takes 4,400 bytes, in which two rings fit.
    assert group_counts(bundles) == [1, 3]
