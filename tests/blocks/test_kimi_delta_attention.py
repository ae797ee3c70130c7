"""Kimi Delta Attention: parameters as transformers 5.24.0 builds them, and the state."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Matrix, Window
from tests.blocks.measure import Sizes, build, parameters

SMALL = {"num_heads": 4, "head_dim": 16, "conv_kernel": 4}


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        (SMALL | {"decay_rank": 16, "gate_rank": 16}, 21588, "kimi_linear, glm5_next_text"),
        (SMALL, 25684, "bailing_hybrid"),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters("kimi_delta_attention", 64, **sizes) == expected, source


def test_a_full_rank_gate_replaces_two_narrow_matrices_by_one() -> None:
    # Kimi-K3, config.json: use_full_rank_gate beside a decay of low rank
    grown = parameters("kimi_delta_attention", 64, **SMALL, decay_rank=16)
    assert grown == 21588 - 2 * 64 * 16 + 64 * 64


def test_the_window_covers_query_key_and_value() -> None:
    assert build("kimi_delta_attention", 64, **SMALL).state(64) == (
        Window("conv_state", (Axis(4, 16),) * 3, 4),
        Matrix("delta_state", Axis(4), 16, 16),
    )


def test_a_slot_of_kimi_linear_weighs_what_sglang_reserves() -> None:
    # SGLang 0.5.23, Kimi-Linear-48B tp 1: 43,417,600 bytes in 20 layers, bfloat16 and float32
    sizes = {"num_heads": 32, "head_dim": 128, "conv_kernel": 4}
    conv, delta = build("kimi_delta_attention", 2304, **sizes).state(2304)
    window = 2 * conv.history * sum(axis.size for axis in conv.channels)
    assert 20 * (window + 4 * delta.heads.size * delta.value_dim * delta.key_dim) == 43_417_600
