"""ZAYA: compressed convolutional attention and experts with a network for a router.

Class defaults are those of transformers 5.24.0, models/zaya/configuration_zaya.py. Older files
count attention and experts as layers of their own. It knows nothing about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.compressed_convolutional_attention import CompressedConvolutionalAttention
from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import window_of
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"zaya": ("ZayaForCausalLM",)}

_KINDS = {"hybrid": "attention", "hybrid_sliding": "sliding"}
_VECTORS_OF_A_LAYER = 8
"""Scales and biases of both residual streams, before and after the experts."""


def describe(config: Fields, identity: Identity) -> Description:
    """Read a ZAYA configuration."""
    hidden = config.size("hidden_size", 2048)
    legacy = "layer_types" not in config and "cca" in config
    mixers = _legacy_mixers(config) if legacy else _mixers(config)
    experts = _experts(config, legacy)
    attention = _attention(config)
    window = window_of(config, None)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 262272),
        tie_embeddings=config.flag("tie_word_embeddings", True),
        max_context=config.size("max_position_embeddings", 131072),
        blocks={
            "attention": attention,
            "sliding": dataclasses.replace(attention, window=window),
            "experts": experts,
            "later_experts": dataclasses.replace(
                experts, router_parameters=experts.router_hidden_size or 0
            ),
            "scales": Custom(replicated_parameters=_VECTORS_OF_A_LAYER * hidden),
        },
        layers=[
            (mixer, ("later_experts" if i else "experts", "scales"))
            for i, mixer in enumerate(mixers)
        ],
        hints=Hints(
            mamba_cache_dtype=config.text("mamba_cache_dtype", None, null=True),
            legacy_layers=legacy or None,
        ),
        # A scale and a bias of the first hidden state, and of the head where it has one.
        other_parameters=2 * hidden + _head_bias(config),
    )


def _mixers(config: Fields) -> tuple[str, ...]:
    length = config.layers("num_hidden_layers", 40)
    kinds = ["hybrid"] * length
    mixers: tuple[str, ...] = layer_kinds(config, "layer_types", _KINDS, length, kinds)
    if "sliding" in mixers and window_of(config, None) is None:
        config.fail("sliding_window", "is missing", "layers of kind 'hybrid_sliding' need it")
    return mixers


def _legacy_mixers(config: Fields) -> tuple[str, ...]:
    """Attention and experts alternate, so two of its layers are one here."""
    length = config.layers("num_hidden_layers", 80)
    if length % 2:
        config.fail("num_hidden_layers", f"{length} layers are no pairs of attention and experts")
    return ("attention",) * int(length // 2)


def _attention(config: Fields) -> CompressedConvolutionalAttention:
    return CompressedConvolutionalAttention(
        num_heads=config.size("num_attention_heads", 8),
        num_kv_heads=config.size("num_key_value_heads", 2),
        head_dim=config.size("head_dim", 128),
        depthwise_kernel=config.size("cca_time0", 2),
        grouped_kernel=config.size("cca_time1", 2),
        bias=config.flag("attention_bias", False),
    )


def _experts(config: Fields, legacy: bool) -> MixtureOfExperts:
    """One more output of the router stands for no expert. Both halves of `ffn_hidden_size` gate."""
    experts = config.size("num_experts", 16)
    width = config.size("moe_intermediate_size", 2048)
    if legacy and "ffn_hidden_size" in config:
        width = config.size("ffn_hidden_size") // 2
    return MixtureOfExperts(
        num_experts=experts,
        experts_per_token=config.size(config.first("num_experts_per_tok", "moe_router_topk"), 1),
        intermediate_size=width,
        router_outputs=experts + 1,
        router_hidden_size=config.size(
            config.first("router_hidden_size", "zaya_mlp_expansion"), 256
        ),
    )


def _head_bias(config: Fields) -> int:
    return int(config.size("vocab_size", 262272)) if config.flag("lm_head_bias", False) else 0
