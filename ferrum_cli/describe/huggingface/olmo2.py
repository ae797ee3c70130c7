"""OLMo 2 and 3: norms behind the blocks and over all heads, three of four layers of OLMo 3 slide.

Class defaults are those of transformers 5.24.0, models/olmo2/configuration_olmo2.py and
models/olmo3/configuration_olmo3.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import alternating, attention, biased, both
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"olmo2": ("Olmo2ForCausalLM",), "olmo3": ("Olmo3ForCausalLM",)}

_PERIOD = 4


def describe(config: Fields, identity: Identity) -> Description:
    """Read an OLMo configuration; there are as many norms behind the blocks as others have before.

    The class of OLMo 2 has no window.
    """
    found = sizes(config, hidden=4096, vocabulary=50304, context=2048)
    length = config.layers("num_hidden_layers", 32)
    full = attention(
        config, found["hidden_size"], 32, qk_norm=True, qk_norm_full=True, **biased(config)
    )
    third = identity.model_type == "olmo3"
    window = config.nullable_size("sliding_window", 4096) if third else None
    slides = [third and bool((i + 1) % _PERIOD) for i in range(length)]
    return assemble(
        identity,
        config,
        **found,
        blocks={
            **both(full, window),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 11008)),
        },
        layers=[(mixer, "mlp") for mixer in alternating(config, length, slides)],
    )
