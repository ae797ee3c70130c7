"""Qwen3-Next: Gated DeltaNet and gated attention, with a mixture of experts in every layer.

Class defaults are those of transformers 5.24.0, models/qwen3_next/configuration_qwen3_next.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import dtype_of, layer_kinds, one_span
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"qwen3_next": ("Qwen3NextForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3-Next configuration."""
    dtype, notes = dtype_of(config)
    interval = config.size("full_attention_interval", 4)
    layers = _layers(config, config.size("num_hidden_layers", 48), interval)
    used = {name for layer in layers for name in layer}
    blocks = {
        "delta": gated_delta_net(config),
        "attention": gated_attention(config),
        "experts": _experts(config),
        "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 5632)),
    }
    return Description(
        name=identity.name,
        source=identity.source,
        architecture=identity.architecture,
        dtype=dtype,
        hidden_size=config.size("hidden_size", 2048),
        vocab_size=config.size("vocab_size", 151936),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 32768),
        blocks={name: block for name, block in blocks.items() if name in used},
        spans=one_span(layers),
        hints=Hints(full_attention_interval=interval),
        notes=notes,
    )


def gated_delta_net(config: Fields) -> GatedDeltaNet:
    """The linear-attention mixer that Qwen3-Next and Qwen3.5 share."""
    return GatedDeltaNet(
        num_key_heads=config.size("linear_num_key_heads", 16),
        num_value_heads=config.size("linear_num_value_heads", 32),
        key_head_dim=config.size("linear_key_head_dim", 128),
        value_head_dim=config.size("linear_value_head_dim", 128),
        conv_kernel=config.size("linear_conv_kernel_dim", 4),
    )


def gated_attention(config: Fields) -> Attention:
    """Attention with an output gate from the query projection, and norms on query and key."""
    return Attention(
        num_heads=config.size("num_attention_heads", 16),
        num_kv_heads=config.size("num_key_value_heads", 2),
        head_dim=config.size("head_dim", 256),
        output_gate=True,
        qk_norm=True,
        qkv_bias=config.flag("attention_bias", False),
    )


def _experts(config: Fields) -> MixtureOfExperts:
    return MixtureOfExperts(
        num_experts=config.size("num_experts", 512),
        experts_per_token=config.size("num_experts_per_tok", 10),
        intermediate_size=config.size("moe_intermediate_size", 512),
        shared_intermediate_size=config.size("shared_expert_intermediate_size", 512),
        shared_gate=True,
    )


def _layers(config: Fields, length: int, interval: int) -> list[list[str]]:
    """Attention in every n-th layer; experts wherever the sparse step and the list allow."""
    default = [
        "full_attention" if (i + 1) % interval == 0 else "linear_attention" for i in range(length)
    ]
    known = ("linear_attention", "full_attention")
    kinds = layer_kinds(config, "layer_types", known, length, default)
    step = config.size("decoder_sparse_step", 1)
    dense = set(config.counts("mlp_only_layers", ()))
    mixers = {"linear_attention": "delta", "full_attention": "attention"}
    return [
        [mixers[kind], "mlp" if i in dense or (i + 1) % step else "experts"]
        for i, kind in enumerate(kinds)
    ]
