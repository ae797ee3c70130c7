"""Gemma: wide heads, tied embeddings. It keeps no recurrent state.

Class defaults are those of transformers 5.24.0, models/gemma/configuration_gemma.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"gemma": ("GemmaForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Gemma configuration."""
    found = sizes(config, hidden=3072, vocabulary=256000, context=8192, tied=True)
    width = config.size("head_dim", 256)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(
                config, found["hidden_size"], 16, 16, head_dim=width, **biased(config)
            ),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 24576)),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 28),
    )
