"""Short convolutions: parameters as transformers 5.24.0 builds them, and the window."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Window
from tests.blocks.measure import Sizes, build, parameters


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        ({"conv_kernel": 3}, 16576, "lfm2, lfm2_moe"),
        ({"conv_kernel": 7}, 16832, "lfm3"),
        ({"conv_kernel": 3, "bias": True}, 16896, "lfm2, conv_bias"),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters("short_conv", 64, **sizes) == expected, source


def test_the_window_is_as_wide_as_the_model() -> None:
    # LFM2-2.6B, SGLang 0.5.23: 180,224 bytes in 22 layers of bfloat16, L_cache 3
    (conv,) = build("short_conv", 2048, conv_kernel=3).state(2048)
    assert conv == Window("conv_state", (Axis(2048),), 3)
    assert 22 * 2 * conv.channels[0].size * conv.history == 180_224


def test_the_window_follows_conv_dim_where_it_is_given() -> None:
    (conv,) = build("short_conv", 64, conv_kernel=3, conv_dim=32).state(64)
    assert conv.channels == (Axis(32),)
