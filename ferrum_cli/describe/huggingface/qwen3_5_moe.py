"""Qwen3.5 and Qwen3.6 with a mixture of experts, with or without vision.

Class defaults are those of transformers 5.24.0, models/qwen3_5_moe/configuration_qwen3_5_moe.py.
It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity, _qwen_vision
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._qwen import (
    draft,
    gate_biases,
    gated_attention,
    gated_delta_net,
    mixers,
)
from ferrum_cli.describe.huggingface._wrapper import with_vision, wrapped

ARCHITECTURES = {
    "qwen3_5_moe": ("Qwen3_5MoeForConditionalGeneration", "Qwen3_5MoeForCausalLM"),
    "qwen3_5_moe_text": ("Qwen3_5MoeForCausalLM", "Qwen3_5MoeForConditionalGeneration"),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3.5-MoE configuration, of the language model alone or with vision around it."""
    if identity.model_type == "qwen3_5_moe_text":
        return _language_model(config, identity)
    found = wrapped(
        config,
        identity,
        config.child("text_config"),
        "qwen3_5_moe_text",
        tied=config.flag("tie_word_embeddings", False),
    )
    return with_vision(found, _qwen_vision.parameters(config.optional_child("vision_config")))


def _language_model(config: Fields, identity: Identity) -> Description:
    attention = gated_attention(config, kv_heads=2)
    pattern = mixers(config, config.layers("num_hidden_layers", 40))
    return assemble(
        identity,
        config,
        hidden_size=config.size("hidden_size", 2048),
        vocab_size=config.size("vocab_size", 248320),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 32768),
        blocks={
            "delta": gated_delta_net(config),
            "attention": attention,
            "experts": _experts(config),
        },
        layers=[(mixer, "experts") for mixer in pattern],
        draft=draft(config, "mtp_num_hidden_layers", ("attention", "experts")),
        hints=Hints(
            full_attention_interval=config.size("full_attention_interval", 4),
            mamba_ssm_dtype=config.text("mamba_ssm_dtype", None, null=True),
        ),
        other_parameters=gate_biases(config, attention, pattern),
    )


def _experts(config: Fields) -> MixtureOfExperts:
    return MixtureOfExperts(
        num_experts=config.size("num_experts", 256),
        experts_per_token=config.size("num_experts_per_tok", 8),
        intermediate_size=config.size("moe_intermediate_size", 512),
        shared_intermediate_size=config.size("shared_expert_intermediate_size", 512),
        shared_gate=True,
    )
