"""Granite 4: Mamba-2 or attention, then experts beside a shared network, or that network alone.

Class defaults are those of transformers 5.24.0,
models/granitemoehybrid/configuration_granitemoehybrid.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._mamba import expanded, mamba2

ARCHITECTURES = {"granitemoehybrid": ("GraniteMoeHybridForCausalLM",)}

_KINDS = {
    "mamba": "mamba",
    "linear_attention": "mamba",
    "attention": "attention",
    "full_attention": "attention",
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Granite 4 configuration; without a list of layers every one is Mamba-2."""
    hidden = config.size("hidden_size", 4096)
    length = config.layers("num_hidden_layers", 32)
    name = config.first("layer_types", "layers_block_type")
    mixers = layer_kinds(config, name, _KINDS, length, ["mamba"] * length)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 32000),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 2048),
        blocks={
            "mamba": mamba2(config, expanded(config, "mamba_expand", hidden)),
            "attention": attention(config, hidden, 32, **biased(config)),
            "mlp": _feed(config),
        },
        layers=[(mixer, "mlp") for mixer in mixers],
        hints=Hints(chunk_size=config.size("mamba_chunk_size", 256)),
    )


def _feed(config: Fields) -> Block:
    """Experts and the shared network behind one norm; no experts leave the network alone."""
    experts = config.count("num_local_experts", 8)
    if not experts:
        return FeedForward(intermediate_size=config.size("shared_intermediate_size", 1024))
    return MixtureOfExperts(
        num_experts=experts,
        experts_per_token=config.count("num_experts_per_tok", 2),
        intermediate_size=config.size("intermediate_size", 11008),
        shared_intermediate_size=config.count("shared_intermediate_size", 1024),
    )
