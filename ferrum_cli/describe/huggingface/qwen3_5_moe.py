"""Qwen3.5 and Qwen3.6 with a mixture of experts, with or without vision.

Class defaults are those of transformers 5.24.0, models/qwen3_5_moe/configuration_qwen3_5_moe.py.
It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._qwen import (
    Relative,
    alone_or_wrapped,
    gated_experts,
    language_model,
)

ARCHITECTURES = {
    "qwen3_5_moe": ("Qwen3_5MoeForConditionalGeneration", "Qwen3_5MoeForCausalLM"),
    "qwen3_5_moe_text": ("Qwen3_5MoeForCausalLM", "Qwen3_5MoeForConditionalGeneration"),
}

DEFAULT = Relative(hidden_size=2048, vocab_size=248320, kv_heads=2)


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3.5-MoE configuration, of the language model alone or with vision around it."""
    return alone_or_wrapped(config, identity, "qwen3_5_moe_text", _language_model)


def _language_model(config: Fields, identity: Identity) -> Description:
    return language_model(
        config,
        identity,
        DEFAULT,
        feeds=["experts"] * config.layers("num_hidden_layers", 40),
        blocks={"experts": gated_experts(config, number=256, per_token=8)},
    )
