"""Gated DeltaNet: parameters as transformers 5.24.0 builds them, and the state."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Matrix, Split, Window
from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from tests.blocks.measure import Sizes, build, parameters

SMALL = {
    "num_key_heads": 2,
    "num_value_heads": 4,
    "key_head_dim": 16,
    "value_head_dim": 16,
    "conv_kernel": 4,
}
OLMO = SMALL | {"num_key_heads": 4, "key_head_dim": 12, "value_head_dim": 24}


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        (SMALL, 17432, "qwen3_5_text, qwen4_exp_text, lara_mini"),
        (OLMO, 25888, "olmo_hybrid"),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters("gated_delta_net", 64, **sizes) == expected, source


def test_the_state_follows_the_value_heads_and_the_window_covers_all_three() -> None:
    keys = Axis(2, 16, Split.GROUPS)
    assert build("gated_delta_net", 64, **SMALL).state(64) == (
        Window("conv_state", (keys, keys, Axis(4, 16)), 4),
        Matrix("delta_state", Axis(4), 16, 16),
    )


def test_a_slot_of_qwen3_next_weighs_what_sglang_reserves() -> None:
    # SGLang 0.5.23, Qwen3-Next-80B tp 1: 77,266,944 bytes in 36 layers, bfloat16 and float32
    sizes = {
        "num_key_heads": 16,
        "num_value_heads": 32,
        "key_head_dim": 128,
        "value_head_dim": 128,
        "conv_kernel": 4,
    }
    conv, delta = build("gated_delta_net", 2048, **sizes).state(2048)
    window = 2 * conv.history * sum(axis.size for axis in conv.channels)
    assert 36 * (window + 4 * delta.heads.size * delta.value_dim * delta.key_dim) == 77_266_944


def test_value_heads_that_do_not_share_key_heads_are_refused() -> None:
    assert "num_key_heads" in (GatedDeltaNet(**(SMALL | {"num_key_heads": 3})).check(64) or "")
