"""Layers spread over pipeline stages in consecutive runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.expand import stage_of_layers


@pytest.mark.parametrize(
    ("layers", "pp", "sizes"), [(48, 1, [48]), (48, 4, [12] * 4), (10, 4, [3, 3, 2, 2])]
)
def test_what_does_not_divide_goes_to_early_stages(layers: int, pp: int, sizes: list[int]) -> None:
    assert [len(stage) for stage in stage_of_layers(layers, pp)] == sizes


@given(st.integers(1, 500), st.integers(1, 64))
def test_every_layer_stands_on_exactly_one_stage(layers: int, pp: int) -> None:
    stages = stage_of_layers(layers, pp)
    assert [layer for stage in stages for layer in stage] == list(range(layers))
    assert len(stages) == pp
