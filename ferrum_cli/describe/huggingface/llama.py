"""Llama: attention and a gated feed-forward in every layer. It keeps no recurrent state.

Class defaults are those of transformers 5.24.0, models/llama/configuration_llama.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"llama": ("LlamaForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Llama configuration."""
    found = sizes(config, hidden=4096, vocabulary=32000, context=2048)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(config, found["hidden_size"], 32, **biased(config)),
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", 11008),
                bias=config.flag("mlp_bias", False),
            ),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 32),
    )
