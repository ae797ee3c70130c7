"""Qwen2 with experts beside a shared one; layers may be dense, and slide where that is switched on.

Class defaults are those of transformers 5.24.0, models/qwen2_moe/configuration_qwen2_moe.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import alternating, attention, both, window_of
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._feeds import sparse_steps
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"qwen2_moe": ("Qwen2MoeForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen2-MoE configuration."""
    found = sizes(config, hidden=2048, vocabulary=151936, context=32768)
    length = config.layers("num_hidden_layers", 24)
    full = attention(config, found["hidden_size"], 16, 16, qkv_bias=config.flag("qkv_bias", True))
    window = window_of(config, 4096)
    switched_on = config.flag("use_sliding_window", False)
    first = config.count("max_window_layers", 28)
    slides = [switched_on and i % 2 == 0 and i < first for i in range(length)]
    mixers = alternating(config, length, slides)
    routed = experts(
        config,
        number=60,
        per_token=4,
        width=1408,
        shared_intermediate_size=config.count("shared_expert_intermediate_size", 5632),
        shared_gate=True,
    )
    return assemble(
        identity,
        config,
        **found,
        blocks={
            **both(full, window if switched_on else None),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 5632)),
            "experts": routed,
        },
        layers=list(zip(mixers, sparse_steps(config, length, routed), strict=True)),
    )
