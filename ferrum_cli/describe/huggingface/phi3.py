"""Phi-3 and Phi-4: attention and a gated feed-forward in every layer, a window where one is given.

Class defaults are those of transformers 5.24.0, models/phi3/configuration_phi3.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"phi3": ("Phi3ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Phi-3 configuration."""
    found = sizes(config, hidden=3072, vocabulary=32064, context=4096)
    window = config.nullable_size("sliding_window", None)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(config, found["hidden_size"], 32, window=window),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 8192)),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 32),
    )
