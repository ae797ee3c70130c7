"""GLM-4, dense: sandwich norms, biases on queries, keys and values. It keeps no recurrent state.

Class defaults are those of transformers 5.24.0, models/glm4/configuration_glm4.py and
models/glm/configuration_glm.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"glm4": ("Glm4ForCausalLM",), "glm": ("GlmForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a GLM-4 configuration; the older class has norms before the blocks alone."""
    found = sizes(config, hidden=4096, vocabulary=151552, context=131072)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": attention(
                config,
                found["hidden_size"],
                32,
                2,
                head_dim=config.size("head_dim", 128),
                qkv_bias=config.flag("attention_bias", True),
            ),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 13696)),
        },
        layers=[("attention", "mlp")] * config.layers("num_hidden_layers", 40),
        post_norm=identity.model_type == "glm4",
    )
