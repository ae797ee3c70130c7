"""RecurrentGemma (Griffin): RG-LRU and local attention, each with a biased feed-forward.

Class defaults are those of transformers 5.24.0,
models/recurrent_gemma/configuration_recurrent_gemma.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.rg_lru import RgLru
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, context_or_unlimited, divided
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"recurrent_gemma": ("RecurrentGemmaForCausalLM",)}

_BLOCKS = {"recurrent": "rg_lru", "attention": "attention"}
_MOST_CYCLES = 100
"""The class repeats the row of blocks a hundred times, not more."""


def describe(config: Fields, identity: Identity) -> Description:
    """Read a RecurrentGemma configuration; its attention is always local."""
    hidden = config.size("hidden_size", 2560)
    context, hints = context_or_unlimited(config)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 256000),
        tie_embeddings=config.flag("tie_word_embeddings", True),
        max_context=context,
        blocks={
            "rg_lru": _rg_lru(config, hidden),
            "attention": _attention(config, hidden),
            "mlp": FeedForward(intermediate_size=_width(config), bias=True),
        },
        layers=[(mixer, "mlp") for mixer in _mixers(config)],
        hints=hints,
    )


def _rg_lru(config: Fields, hidden: int) -> RgLru:
    heads = config.size("num_attention_heads", 10)
    width = config.size("lru_width", None, null=True) or hidden
    if width % heads:
        config.fail("lru_width", f"{width} is no multiple of {heads} heads")
    return RgLru(
        num_heads=heads,
        head_dim=divided(config, "num_attention_heads", width, heads),
        conv_kernel=config.size("conv1d_width", 4),
    )


def _attention(config: Fields, hidden: int) -> Attention:
    return attention(
        config,
        hidden,
        10,
        window=config.size(config.first("attention_window_size", "sliding_window"), 2048),
        qkv_bias=config.flag("attention_bias", False),
        output_bias=True,
    )


def _width(config: Fields) -> int:
    """Half of `intermediate_size`, for each of the two projections up."""
    return divided(config, "intermediate_size", config.size("intermediate_size", 7680), 2)


def _mixers(config: Fields) -> list[str]:
    """`block_types`, again and again."""
    length = config.layers("num_hidden_layers", 26)
    name = config.first("block_types", "_block_types")
    words = config.texts(name, ("recurrent", "recurrent", "attention"))
    for position, word in enumerate(words):
        if word not in _BLOCKS:
            config.fail(f"{name}[{position}]", f"unknown kind of layer {ascii(word)[:60]}")
    if len(words) * _MOST_CYCLES < length:
        config.fail(name, f"{len(words)} entries make no {length} layers")
    return [_BLOCKS[words[i % len(words)]] for i in range(length)]
