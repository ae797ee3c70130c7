"""Llama: attention and a gated feed-forward in every layer. It keeps no recurrent state.

Class defaults are those of transformers 5.24.0, models/llama/configuration_llama.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"llama": ("LlamaForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Llama configuration."""
    hidden = config.size("hidden_size", 4096)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 32000),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 2048),
        blocks={
            "attention": attention(config, hidden, 32, **biased(config)),
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", 11008),
                bias=config.flag("mlp_bias", False),
            ),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 32),
    )
