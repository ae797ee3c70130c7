"""Qwen3 with experts: attention with norms on query and key, experts in most layers.

Class defaults are those of transformers 5.24.0, models/qwen3_moe/configuration_qwen3_moe.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._feeds import sparse_steps
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"qwen3_moe": ("Qwen3MoeForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3-MoE configuration."""
    hidden = config.size("hidden_size", 2048)
    length = config.layers("num_hidden_layers", 24)
    window = config.nullable_size("sliding_window", 4096)
    slides = config.flag("use_sliding_window", False)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 151936),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 32768),
        blocks={
            "attention": attention(
                config,
                hidden,
                32,
                4,
                qk_norm=True,
                window=window if slides else None,
                **biased(config),
            ),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 6144)),
            "experts": MixtureOfExperts(
                num_experts=config.size(config.first("num_local_experts", "num_experts"), 128),
                experts_per_token=config.size("num_experts_per_tok", 8),
                intermediate_size=config.size("moe_intermediate_size", 768),
            ),
        },
        layers=[("attention", feed) for feed in sparse_steps(config, length)],
    )
