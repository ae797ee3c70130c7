"""Seed-OSS: attention with biases on the way in, and a gated feed-forward.

Class defaults are those of transformers 5.24.0, models/seed_oss/configuration_seed_oss.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"seed_oss": ("SeedOssForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Seed-OSS configuration."""
    found = sizes(config, hidden=4096, vocabulary=155136, context=524288)
    width = config.nullable_size("head_dim", 128)
    given = {"head_dim": width} if width else {}
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(
                config,
                found["hidden_size"],
                80,
                8,
                qkv_bias=config.flag("attention_bias", True),
                output_bias=config.flag("attention_out_bias", False),
                **given,
            ),
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", 27648),
                bias=config.flag("mlp_bias", False),
            ),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 64),
    )
