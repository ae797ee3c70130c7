"""Qwen3 with experts: attention with norms on query and key, experts in most layers.

Class defaults are those of transformers 5.24.0, models/qwen3_moe/configuration_qwen3_moe.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased, window_of
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._feeds import sparse_steps
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"qwen3_moe": ("Qwen3MoeForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3-MoE configuration."""
    found = sizes(config, hidden=2048, vocabulary=151936, context=32768)
    window = window_of(config, 4096)
    slides = config.flag("use_sliding_window", False)
    routed = experts(
        config, number=128, per_token=8, width=768, names=("num_local_experts", "num_experts")
    )
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(
                config,
                found["hidden_size"],
                32,
                4,
                qk_norm=True,
                window=window if slides else None,
                **biased(config),
            ),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 6144)),
            "experts": routed,
        },
        layers=[
            ("attention", feed)
            for feed in sparse_steps(config, config.layers("num_hidden_layers", 24), routed)
        ],
    )
