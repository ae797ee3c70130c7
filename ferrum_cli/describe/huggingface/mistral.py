"""Mistral and Mixtral: attention, mostly sliding, and a gated feed-forward or experts.

Class defaults are those of transformers 5.24.0, models/mistral/configuration_mistral.py and
models/mixtral/configuration_mixtral.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"mistral": ("MistralForCausalLM",), "mixtral": ("MixtralForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Mistral or Mixtral configuration; a null `sliding_window` means full attention."""
    found = sizes(config, hidden=4096, vocabulary=32000, context=131072)
    default = 4096 if identity.model_type == "mistral" else None
    window = config.nullable_size("sliding_window", default)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(config, found["hidden_size"], 32, 8, window=window),
            "mlp": _feed(config, identity.model_type),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 32),
    )


def _feed(config: Fields, model_type: str) -> Block:
    width = config.size("intermediate_size", 14336)
    if model_type == "mistral":
        return FeedForward(intermediate_size=width)
    names = ("num_local_experts", "num_experts")
    return experts(config, 8, 2, width, names, intermediate_size=width)
