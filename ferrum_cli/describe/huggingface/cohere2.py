"""Command R and Command A: attention beside a feed-forward behind one norm, most layers may slide.

Class defaults are those of transformers 5.24.0, models/cohere/configuration_cohere.py and
models/cohere2/configuration_cohere2.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import alternating, attention, biased, both
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"cohere2": ("Cohere2ForCausalLM",), "cohere": ("CohereForCausalLM",)}

_PERIOD = 4


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Command R or Command A configuration; the class of the first has no window."""
    found = sizes(config, hidden=8192, vocabulary=256000, context=8192, tied=True)
    length = config.layers("num_hidden_layers", 40)
    second = identity.model_type == "cohere2"
    normed = not second and config.flag("use_qk_norm", False)
    full = attention(
        config,
        found["hidden_size"],
        64,
        qk_norm=normed,
        qk_norm_full=normed,
        **biased(config),
    )
    period = config.size("sliding_window_pattern", _PERIOD) if second else 1
    slides = [bool((i + 1) % period) for i in range(length)]
    return assemble(
        identity,
        config,
        **found,
        blocks={
            **both(full, config.nullable_size("sliding_window", 4096) if second else None),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 22528)),
        },
        layers=[((mixer, "mlp"),) for mixer in alternating(config, length, slides)],
        norm="layer_no_bias",
    )
