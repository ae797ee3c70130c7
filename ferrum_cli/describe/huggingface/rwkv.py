"""RWKV-4: a time mixing with a running sum and a channel mixing in every layer.

Class defaults are those of transformers 5.24.0, models/rwkv/configuration_rwkv.py. It knows nothing
about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.rwkv4 import Rwkv4
from ferrum_cli.blocks.rwkv_channel_mix import RwkvChannelMix
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"rwkv": ("RwkvForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an RWKV-4 configuration; a norm follows the embedding."""
    hidden = config.size("hidden_size", 4096)
    attends = config.size("attention_hidden_size", None, null=True) or hidden
    if attends != hidden:
        config.fail("attention_hidden_size", f"{attends} is not hidden_size {hidden}")
    width = config.size("intermediate_size", None, null=True) or 4 * hidden
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 50277),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size(config.first("context_length", "max_position_embeddings"), 1024),
        blocks={"rwkv": Rwkv4(), "channel_mix": RwkvChannelMix(intermediate_size=width)},
        layers=[("rwkv", "channel_mix")] * config.layers("num_hidden_layers", 32),
        norm="layer",
        other_parameters=2 * hidden,
    )
