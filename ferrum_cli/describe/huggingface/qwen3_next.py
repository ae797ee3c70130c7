"""Qwen3-Next: Gated DeltaNet and gated attention, with a mixture of experts in every layer.

Class defaults are those of transformers 5.24.0, models/qwen3_next/configuration_qwen3_next.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._feeds import sparse_steps
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._qwen import Relative, gated_experts, language_model

ARCHITECTURES = {"qwen3_next": ("Qwen3NextForCausalLM",)}

_DEFAULT = Relative(
    hidden_size=2048, vocab_size=151936, kv_heads=2, drafts="num_nextn_predict_layers"
)


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3-Next configuration."""
    experts = gated_experts(config, number=512, per_token=10)
    return language_model(
        config,
        identity,
        _DEFAULT,
        feeds=sparse_steps(config, config.layers("num_hidden_layers", 48), experts),
        blocks={
            "experts": experts,
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 5632)),
        },
    )
