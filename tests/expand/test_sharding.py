"""Axes split over ranks by the contract's rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks import Axis, Split
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand import Parallel, check_parallel, expand, units_on_rank
from ferrum_cli.expand.sharding import size_on_rank
from tests.models import described

# (split, units, tp, units on one rank); the rules of design.md section 4 and mamba_mixer2.py
ROWS = [
    (Split.HEADS, 32, 4, 8),
    (Split.GROUPS, 8, 4, 2),
    (Split.GROUPS, 8, 16, 1),
    (Split.GROUPS, 1, 2, 1),
    (Split.GROUPS, 16, 32, 1),
    (Split.GROUPS, 8, 3, 1),  # mamba_mixer2.py: tp groups, also where there are more than ranks
    (Split.KV_HEADS, 8, 4, 2),
    (Split.KV_HEADS, 2, 8, 1),
    (Split.QUERY_HEADS, 16, 4, 4),
    (Split.QUERY_HEADS, 10, 4, 10),
    (Split.COLUMNS, 1000, 3, 334),
    (Split.REPLICATED, 7, 4, 7),
]


@pytest.mark.parametrize(("split", "units", "tp", "expected"), ROWS)
def test_units_spread_by_the_rule_of_their_axis(
    split: Split, units: int, tp: int, expected: int
) -> None:
    assert units_on_rank(Axis(units, 5, split), tp) == expected
    assert size_on_rank(Axis(units, 5, split), tp) == 5 * expected


@pytest.mark.parametrize(("units", "tp"), [(32, 3), (32, 64), (32, 1_000_000), (1, 2)])
def test_heads_of_recurrent_state_that_do_not_divide_are_refused(units: int, tp: int) -> None:
    with pytest.raises(ShardingError, match=f"--tp: {units} heads .* by {tp} ranks"):
        units_on_rank(Axis(units), tp)


@given(st.integers(1, 512), st.integers(1, 512), st.sampled_from(list(Split)))
def test_the_ranks_together_hold_at_least_the_whole(units: int, tp: int, split: Split) -> None:
    if split is Split.HEADS and units % tp:
        return
    on_rank = units_on_rank(Axis(units, 1, split), tp)
    assert 1 <= on_rank <= units
    if units % tp == 0 or split in (Split.COLUMNS, Split.QUERY_HEADS) or units < tp:
        assert on_rank * tp >= units


def test_more_stages_than_layers_are_refused() -> None:
    with pytest.raises(ShardingError, match="--pp: 3 pipeline stages for 2 layers"):
        check_parallel(expand(described()), Parallel(pp=3))


def test_more_ranks_than_the_vocabulary_has_entries_are_refused() -> None:
    with pytest.raises(ShardingError, match="--tp: 1001 ranks for a vocabulary of 1000"):
        check_parallel(expand(described()), Parallel(tp=1001))
