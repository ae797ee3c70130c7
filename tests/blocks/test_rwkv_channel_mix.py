"""RWKV's channel mixing: parameters as transformers 5.24.0 builds them, and the shift."""

from __future__ import annotations

from ferrum_cli.blocks import Axis, Role, Split, Vector
from tests.blocks.measure import build, parameters


def test_parameters_of_rwkv4_are_what_transformers_builds() -> None:
    assert parameters("rwkv_channel_mix", 64, intermediate_size=128) == 20608


def test_rwkv7_has_no_receptance() -> None:
    # flash-linear-attention 0.5.2, RWKV7FeedForward: x_k, key, value
    plain = parameters("rwkv_channel_mix", 64, intermediate_size=128, receptance=False)
    assert plain == 64 + 2 * 64 * 128


def test_it_keeps_the_last_input_whole_on_every_rank() -> None:
    # transformers 5.24.0, small rwkv: ffn_shift (1, 64)
    assert build("rwkv_channel_mix", 64, intermediate_size=128).state(64) == (
        Vector("ffn_shift", Axis(64, split=Split.REPLICATED), role=Role.SHIFT),
    )
