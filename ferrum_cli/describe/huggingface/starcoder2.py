"""StarCoder 2: layer norms, a plain feed-forward, biases everywhere. It keeps no recurrent state.

Class defaults are those of transformers 5.24.0, models/starcoder2/configuration_starcoder2.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"starcoder2": ("Starcoder2ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a StarCoder 2 configuration; norms have a bias whatever `use_bias` says."""
    found = sizes(config, hidden=3072, vocabulary=49152, context=4096, tied=True)
    window = config.nullable_size("sliding_window", None)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(
                config,
                found["hidden_size"],
                24,
                2,
                window=window,
                **biased(config, "use_bias", True),
            ),
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", 12288),
                gated=False,
                bias=config.flag("use_bias", True),
            ),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 30),
        norm="layer",
    )
