"""SmolLM 3: layers without rotary embeddings may slide, where that is switched on.

Class defaults are those of transformers 5.24.0, models/smollm3/configuration_smollm3.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import alternating, attention, biased, both
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"smollm3": ("SmolLM3ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a SmolLM 3 configuration."""
    found = sizes(config, hidden=2048, vocabulary=128256, context=32768, tied=True)
    length = config.layers("num_hidden_layers", 36)
    full = attention(config, found["hidden_size"], 16, 4, **biased(config))
    window = config.nullable_size("sliding_window", None)
    switched_on = window is not None and config.flag("use_sliding_window", False)
    slides = [switched_on and not turns for turns in _rotary(config, length)]
    return assemble(
        identity,
        config,
        **found,
        blocks={
            **both(full, window),
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", 11008),
                bias=config.flag("mlp_bias", False),
            ),
        },
        layers=[(mixer, "mlp") for mixer in alternating(config, length, slides)],
    )


def _rotary(config: Fields, length: int) -> tuple[int, ...]:
    """`no_rope_layers`, where 1 stands for a layer that has them; by default all but every n-th."""
    interval = config.size("no_rope_layer_interval", 4)
    default = [int((i + 1) % interval != 0) for i in range(length)]
    given: tuple[int, ...] = config.counts("no_rope_layers", default)
    if len(given) < length:
        config.fail("no_rope_layers", f"{len(given)} entries for {length} layers")
    return given[:length]
