"""Attention as most families spell it: heads, key-value heads and a head width that may be derived.

It knows nothing about a particular family.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.describe.huggingface._common import divided, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

KINDS: Mapping[str, str] = {
    "full_attention": "attention",
    "attention": "attention",
    "sliding_attention": "sliding",
}
"""What `layer_types` calls the two attentions of `both`; the second is a legacy spelling."""


def attention(
    config: Fields, hidden_size: int, heads: int, kv_heads: int | None = None, **options: Any
) -> Attention:
    """An attention; `heads` and `kv_heads` are class defaults, None for as many as heads."""
    num_heads = config.size("num_attention_heads", heads)
    options.setdefault("head_dim", head_dim(config, hidden_size, num_heads))
    return Attention(
        num_heads=num_heads, num_kv_heads=kv_heads_of(config, num_heads, kv_heads), **options
    )


def kv_heads_of(config: Fields, num_heads: int, default: int | None) -> int:
    """`num_key_value_heads`; null means one for each query head."""
    if config.raw("num_key_value_heads") is None:
        stands = "num_key_value_heads" in config
        return num_heads if stands or default is None else default
    return int(config.size("num_key_value_heads"))


def head_dim(config: Fields, hidden_size: int, num_heads: int) -> int:
    """`head_dim`, or an equal share of hidden_size."""
    given = config.size("head_dim", None, null=True)
    return given or divided(config, "num_attention_heads", hidden_size, num_heads)


def biased(config: Fields, name: str = "attention_bias", default: bool = False) -> dict[str, bool]:
    """The options of an attention whose four projections have biases or not, all alike."""
    bias = config.flag(name, default)
    return {"qkv_bias": bias, "output_bias": bias}


def window_of(config: Fields, default: int | None) -> int | None:
    """`sliding_window`; null means none, and so does 0, which transformers 5.24.0 itself saves."""
    if config.raw("sliding_window") == 0:
        return None
    return config.nullable_size("sliding_window", default)


def both(full: Attention, window: int | None) -> dict[str, Block]:
    """Attention over everything and over a window, in the words of `KINDS`."""
    return {"attention": full, "sliding": dataclasses.replace(full, window=window)}


def alternating(config: Fields, length: int, slides: Sequence[bool]) -> tuple[str, ...]:
    """`layer_types` in the words of `KINDS`, or else sliding attention where `slides` says so."""
    default = ["sliding_attention" if sliding else "full_attention" for sliding in slides]
    return layer_kinds(config, "layer_types", KINDS, length, default)
