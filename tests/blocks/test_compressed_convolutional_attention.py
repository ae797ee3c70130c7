"""CCA: parameters as transformers 5.24.0 builds them, its window, half value and cache."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, KeyValue, Role, Vector, Window
from ferrum_cli.blocks.compressed_convolutional_attention import CompressedConvolutionalAttention
from tests.blocks.measure import Sizes, build, parameters

KIND = "compressed_convolutional_attention"
SMALL = {
    "num_heads": 4,
    "num_kv_heads": 2,
    "head_dim": 16,
    "depthwise_kernel": 2,
    "grouped_kernel": 2,
}


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        (SMALL, 15746, "zaya"),
        (
            SMALL | {"depthwise_kernel": 3, "grouped_kernel": 4, "bias": True},
            19106,
            "zaya, cca_time0 3, cca_time1 4, attention_bias",
        ),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters(KIND, 64, **sizes) == expected, source


def test_the_window_reaches_through_both_convolutions() -> None:
    # transformers 5.24.0, small zaya: conv_state (1, 96, 2), recurrent_state (1, 16)
    conv, value = build(KIND, 64, **SMALL).state(64)
    assert conv == Window("conv_state", (Axis(4, 16), Axis(2, 16)), 3)
    assert conv.history == (2 - 1) + (2 - 1)
    assert value == Vector("value_state", Axis(2, 8), role=Role.SHIFT)


def test_every_layer_also_keeps_keys_and_values() -> None:
    assert build(KIND, 64, **SMALL, window=8).cache(64) == (KeyValue(2, 16, 16, window=8),)


# transformers 5.24.0, small zaya with head_dim 15, 17 and 7: recurrent_state (1, n).
@pytest.mark.parametrize(
    ("sizes", "late"),
    [({"head_dim": 15}, 15), ({"head_dim": 17, "num_kv_heads": 4}, 34), ({"head_dim": 7}, 7)],
)
def test_of_an_odd_width_every_second_head_comes_late(sizes: Sizes, late: int) -> None:
    _, value = build(KIND, 64, **SMALL | sizes).state(64)
    assert isinstance(value, Vector)
    assert value.axis.size == late


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"num_kv_heads": 3}, "num_kv_heads"),
        ({"num_kv_heads": 1, "head_dim": 15}, "head_dim 15 x num_kv_heads 1 is odd"),
    ],
)
def test_sizes_that_do_not_go_together_are_named(wrong: Sizes, word: str) -> None:
    assert word in (CompressedConvolutionalAttention(**(SMALL | wrong)).check(64) or "")
