"""Qwen3-Next: Gated DeltaNet and gated attention, with a mixture of experts in every layer.

Class defaults are those of transformers 5.24.0, models/qwen3_next/configuration_qwen3_next.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._qwen import (
    draft,
    gate_biases,
    gated_attention,
    gated_delta_net,
    mixers,
)

ARCHITECTURES = {"qwen3_next": ("Qwen3NextForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3-Next configuration."""
    length = config.layers("num_hidden_layers", 48)
    attention = gated_attention(config, kv_heads=2)
    pattern = mixers(config, length)
    return assemble(
        identity,
        config,
        hidden_size=config.size("hidden_size", 2048),
        vocab_size=config.size("vocab_size", 151936),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 32768),
        blocks={
            "delta": gated_delta_net(config),
            "attention": attention,
            "experts": _experts(config),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 5632)),
        },
        layers=list(zip(pattern, feeds(config, length), strict=True)),
        draft=draft(config, "num_nextn_predict_layers", ("attention", "experts")),
        hints=Hints(
            full_attention_interval=config.size("full_attention_interval", 4),
            mamba_ssm_dtype=config.text("mamba_ssm_dtype", None, null=True),
        ),
        other_parameters=gate_biases(config, attention, pattern),
    )


def feeds(config: Fields, length: int) -> list[str]:
    """Experts wherever the sparse step and the list of dense layers allow."""
    step = config.size("decoder_sparse_step", 1)
    dense = set(config.counts("mlp_only_layers", ()))
    return ["mlp" if i in dense or (i + 1) % step else "experts" for i in range(length)]


def _experts(config: Fields) -> MixtureOfExperts:
    return MixtureOfExperts(
        num_experts=config.size("num_experts", 512),
        experts_per_token=config.size("num_experts_per_tok", 10),
        intermediate_size=config.size("moe_intermediate_size", 512),
        shared_intermediate_size=config.size("shared_expert_intermediate_size", 512),
        shared_gate=True,
    )
