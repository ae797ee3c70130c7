"""Granite 3, dense or with experts, beside which a shared network may stand.

Class defaults are those of transformers 5.24.0, models/granite/configuration_granite.py,
models/granitemoe/ and models/granitemoeshared/. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {
    "granite": ("GraniteForCausalLM",),
    "granitemoe": ("GraniteMoeForCausalLM",),
    "granitemoeshared": ("GraniteMoeSharedForCausalLM",),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Granite 3 configuration."""
    found = sizes(config, hidden=4096, vocabulary=32000, context=2048)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(config, found["hidden_size"], 32, **biased(config)),
            "mlp": _feed(config, identity.model_type),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 32),
    )


def _feed(config: Fields, model_type: str) -> Block:
    width = config.size("intermediate_size", 11008)
    if model_type == "granite":
        return FeedForward(intermediate_size=width, bias=config.flag("mlp_bias", False))
    shared = model_type == "granitemoeshared"
    return experts(
        config,
        number=8,
        per_token=2,
        width=width,
        names=("num_local_experts",),
        intermediate_size=width,
        shared_intermediate_size=config.count("shared_intermediate_size", 0) if shared else 0,
    )
