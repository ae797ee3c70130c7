"""Griffin's recurrent block: parameters as transformers 5.24.0 builds them, and the state."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Vector, Window
from tests.blocks.measure import Sizes, build, parameters


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        ({"num_heads": 4, "head_dim": 16, "conv_kernel": 4}, 15040, "recurrent_gemma"),
        (
            {"num_heads": 4, "head_dim": 24, "conv_kernel": 5},
            24160,
            "recurrent_gemma, lru_width 96, conv1d_width 5",
        ),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters("rg_lru", 64, **sizes) == expected, source


def test_window_and_vector_are_as_wide_as_the_unit() -> None:
    # transformers 5.24.0, recurrentgemma-2b: conv_state (1, 2560, 3), recurrent_state (1, 2560)
    width = Axis(10, 256)
    assert build("rg_lru", 2560, num_heads=10, head_dim=256, conv_kernel=4).state(2560) == (
        Window("conv_state", (width,), 4),
        Vector("recurrent_state", width),
    )
