"""Mamba: parameters as transformers 5.24.0 builds them, and the state it measures."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Matrix, Vector, Window
from ferrum_cli.blocks.mamba1 import Mamba1
from tests.blocks.measure import Sizes, build, parameters

SMALL = {"intermediate_size": 64, "state_size": 8, "conv_kernel": 4, "time_step_rank": 2}
JAMBA = SMALL | {"time_step_rank": 4, "inner_norms": True}
ZAMBA = SMALL | {"time_step_rank": 4, "num_heads": 2}
WIDE = {"intermediate_size": 96, "state_size": 16, "conv_kernel": 5, "time_step_rank": 2}


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        (SMALL, 8384, "mamba, falcon_mamba"),
        (WIDE, 14976, "mamba, expand 3 and conv_kernel 5"),
        (SMALL | {"conv_bias": False, "bias": True}, 8480, "mamba, use_bias, no use_conv_bias"),
        (JAMBA, 8660, "jamba"),
        (ZAMBA, 8640, "zamba"),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters("mamba1", 32, **sizes) == expected, source


def test_the_state_has_a_row_for_each_channel() -> None:
    # transformers 5.24.0, small mamba: conv_state (1, 64, 4), recurrent_state (1, 64, 8)
    assert build("mamba1", 32, **SMALL).state(32) == (
        Window("conv_state", (Axis(64),), 4),
        Vector("ssm_state", Axis(64, 8), flat=False),
    )


def test_heads_shape_the_state_as_zamba_has_it() -> None:
    # transformers 5.24.0, small zamba: recurrent_state (1, 2, 32, 8)
    assert build("mamba1", 32, **ZAMBA).state(32)[1] == Matrix("ssm_state", Axis(2), 32, 8)


def test_heads_that_do_not_share_the_width_are_refused() -> None:
    assert "num_heads" in (Mamba1(**(SMALL | {"num_heads": 3})).check(32) or "")
