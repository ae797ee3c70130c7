"""Jet-Nemotron: JetBlocks, sliding and full attention, in the frame of Qwen2.

Read from the published configurations and SGLang 0.5.23, configs/jet_nemotron.py and
models/jet_nemotron.py; parameters are approximate, since nothing that builds it was run. It knows
nothing about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.jet import Jet
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, divided, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"jet_nemotron": ("JetNemotronForCausalLM",)}

_KINDS = {"jet": "jet", "swa": "sliding", "attn": "attention"}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Jet-Nemotron configuration."""
    hidden = config.size("hidden_size")
    length = config.layers("num_hidden_layers")
    kinds = config.child("efficient_attention_config")
    full = attention(config, hidden, config.size("num_attention_heads"), qkv_bias=True)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size"),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings"),
        blocks={
            "jet": _jet(kinds.child("jet")),
            "attention": full,
            "sliding": _sliding(kinds, full),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size")),
        },
        layers=[
            (mixer, "mlp") for mixer in layer_kinds(config, "layer_types", _KINDS, length, ("",))
        ],
        parameters="approximate",
    )


def _sliding(kinds: Fields, full: Attention) -> Attention:
    windows = kinds.optional_child("swa")
    return (
        full if windows is None else dataclasses.replace(full, window=windows.size("window_size"))
    )


def _jet(fields: Fields) -> Jet:
    """A value is `expand_v` times as wide as a key, rounded down."""
    heads, width = fields.size("num_heads"), fields.size("head_dim")
    values = int(width * fields.number("expand_v", 2.0))
    if values < 1:
        fields.fail("expand_v", f"leaves a width of {values}")
    reduction = fields.size("dconv_generator_reduction", 8)
    return Jet(
        num_heads=heads,
        head_dim=width,
        value_head_dim=values,
        conv_kernel=fields.size("conv_size", 4),
        generator_size=divided(fields, "dconv_generator_reduction", heads * values, reduction),
    )
