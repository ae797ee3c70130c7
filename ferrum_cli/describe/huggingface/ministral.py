"""Ministral and Ministral 3: the layers of Mistral, some of which may attend to everything.

Class defaults are those of transformers 5.24.0, models/ministral/configuration_ministral.py and
models/ministral3/configuration_ministral3.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import alternating, attention, both
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"ministral": ("MinistralForCausalLM",), "ministral3": ("Ministral3ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Ministral configuration; without a list every layer slides where there is a window."""
    third = identity.model_type == "ministral3"
    found = sizes(
        config,
        hidden=4096,
        vocabulary=131072 if third else 32000,
        context=262144 if third else 131072,
    )
    length = config.layers("num_hidden_layers", 34 if third else 32)
    window = config.nullable_size("sliding_window", None if third else 4096)
    width = config.nullable_size("head_dim", 128 if third else None)
    given = {"head_dim": width} if width else {}
    full = attention(config, found["hidden_size"], 32, 8, **given)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            **both(full, window),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 14336)),
        },
        layers=[
            (mixer, "mlp") for mixer in alternating(config, length, [window is not None] * length)
        ],
    )
