"""Inkling's convolutions: parameters as transformers 5.24.0 builds them, and four windows."""

from __future__ import annotations

from ferrum_cli.blocks import Axis, Split, Window
from tests.blocks.measure import build, parameters

SLIDING = {"num_kv_heads": 4, "head_dim": 16, "conv_kernel": 4}
FULL = {"num_kv_heads": 2, "head_dim": 16, "conv_kernel": 4}


def test_a_layer_of_inkling_has_what_transformers_builds() -> None:
    # inkling_text: self_attn 17984 with r_proj 64·16 and rel_logits_proj 4·8, two sconv of 256
    attention = parameters("attention", 64, num_heads=4, **_heads(SLIDING), qk_norm=True)
    assert parameters("stream_convolution", 64, **SLIDING) + attention == (
        17984 - 64 * 16 - 4 * 8 + 2 * 256
    )


def test_filters_made_for_each_token_add_a_projection() -> None:
    # inkling2_text, full attention: static_weight (4, 32) and weight_proj (8, 64), twice
    plain = parameters("stream_convolution", 64, **FULL)
    assert parameters("stream_convolution", 64, **FULL, dynamic=True) == plain + 2 * 8 * 64


def test_keys_and_values_split_and_outputs_stand_whole() -> None:
    # transformers 5.24.0, small inkling_text, layer 2: (1, 32, 4) twice, (1, 64, 4) twice
    keys, hidden = Axis(2, 16, Split.KV_HEADS), Axis(64, split=Split.REPLICATED)
    assert build("stream_convolution", 64, **FULL).state(64) == (
        Window("key_conv_state", (keys,), 4),
        Window("value_conv_state", (keys,), 4),
        Window("attention_conv_state", (hidden,), 4),
        Window("feed_forward_conv_state", (hidden,), 4),
    )


def _heads(sizes: dict[str, int]) -> dict[str, int]:
    """The fields that an attention shares with its convolutions."""
    return {name: sizes[name] for name in ("num_kv_heads", "head_dim")}
