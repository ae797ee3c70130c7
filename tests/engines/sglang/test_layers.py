"""Which layers keep state, and how pipeline stages share them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.sglang.layers import stages
from tests.engines.sglang.asking import QWEN3_NEXT, answered, started


# SGLang 0.5.23, distributed/utils.py: get_pp_indices.
@pytest.mark.parametrize(
    ("layers", "pp", "sizes"),
    [(48, 2, [24, 24]), (61, 4, [15, 15, 15, 16]), (50, 4, [12, 12, 13, 13]), (3, 3, [1, 1, 1])],
)
def test_what_does_not_divide_goes_to_the_last_stages(
    layers: int, pp: int, sizes: list[int]
) -> None:
    assert [len(stage) for stage in stages(layers, pp)] == sizes


def test_a_partition_from_the_environment_counts() -> None:
    assert stages(48, 2, [20, 28]) == (range(20), range(20, 48))


@given(st.integers(1, 200), st.integers(1, 16))
def test_every_layer_stands_on_one_stage(layers: int, pp: int) -> None:
    assert [i for stage in stages(layers, pp) for i in stage] == list(range(layers))


def test_qwens_layer_types_are_not_read() -> None:
    types = ["linear_attention"] * 24 + ["full_attention"] * 24
    found = started(QWEN3_NEXT | {"layer_types": types})
    assert len(found.layers.state) == 36
    assert found.layers.attention == tuple(range(3, 48, 4))


def test_contradicting_layer_types_are_a_finding() -> None:
    types = ["linear_attention"] * 24 + ["full_attention"] * 24
    codes = [f.code for f in answered(QWEN3_NEXT | {"layer_types": types}).findings]
    assert "layer-types-ignored" in codes
