"""LFM3: short convolutions, sliding and full attention with a gate for each head, sandwich norms.

Class defaults are those of transformers 5.24.0, models/lfm3/configuration_lfm3.py. It knows nothing
about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface.lfm2 import KINDS, short_conv

ARCHITECTURES = {"lfm3": ("Lfm3ForCausalLM",)}

_KINDS = {**KINDS, "sliding_attention": "sliding"}
_PERIOD = ("sliding_attention", "conv", "full_attention", "conv")


def describe(config: Fields, identity: Identity) -> Description:
    """Read an LFM3 configuration."""
    hidden = config.size("hidden_size", 2048)
    full = _attention(config, hidden)
    window = config.nullable_size("sliding_window", 256)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 128000),
        tie_embeddings=config.flag("tie_word_embeddings", True),
        max_context=config.size("max_position_embeddings", 128000),
        blocks={
            "conv": short_conv(config, kernel=7),
            "attention": full,
            "sliding": dataclasses.replace(full, window=window),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 7680)),
        },
        layers=[(mixer, "mlp") for mixer in _mixers(config)],
        post_norm=config.flag("use_sandwich_norm", True),
    )


def _attention(config: Fields, hidden: int) -> Attention:
    gate = config.flag("use_attention_gate", True)
    return attention(
        config,
        hidden,
        16,
        4,
        head_dim=config.size("head_dim", 128),
        qk_norm=True,
        output_gate=gate,
        gate_per_head=gate,
        **biased(config),
    )


def _mixers(config: Fields) -> tuple[str, ...]:
    """A period of four; its first layer slides, but the very first convolves."""
    length = config.layers("num_hidden_layers", 24)
    default = [_PERIOD[i % len(_PERIOD)] if i else "conv" for i in range(length)]
    return layer_kinds(config, "layer_types", _KINDS, length, default)
