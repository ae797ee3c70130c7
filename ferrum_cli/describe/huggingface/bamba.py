"""Bamba: Mamba-2 and a few attentions, each with a gated feed-forward.

Class defaults are those of transformers 5.24.0, models/bamba/configuration_bamba.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._mamba import expanded, mamba2

ARCHITECTURES = {"bamba": ("BambaForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Bamba configuration; without indices every layer is Mamba-2."""
    hidden = config.size("hidden_size", 4096)
    length = config.layers("num_hidden_layers", 32)
    attends = set(config.counts("attn_layer_indices", ()))
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 128000),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 262144),
        blocks={
            "mamba": mamba2(config, expanded(config, "mamba_expand", hidden)),
            "attention": attention(config, hidden, 32, 8, **biased(config)),
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", 14336),
                bias=config.flag("mlp_bias", False),
            ),
        },
        layers=[("attention" if i in attends else "mamba", "mlp") for i in range(length)],
        hints=Hints(chunk_size=config.size("mamba_chunk_size", 256)),
    )
