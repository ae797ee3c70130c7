"""EXAONE 4: norms behind the blocks and on query and key, three of four layers slide.

Class defaults are those of transformers 5.24.0, models/exaone4/configuration_exaone4.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import alternating, attention, both
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"exaone4": ("Exaone4ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an EXAONE 4 configuration; without a window no layer slides."""
    found = sizes(config, hidden=4096, vocabulary=102400, context=2048)
    length = config.layers("num_hidden_layers", 32)
    window = config.nullable_size("sliding_window", 4096)
    slides = [window is not None and slides for slides in _slides(config, length)]
    return assemble(
        identity,
        config,
        **found,
        blocks={
            **both(attention(config, found["hidden_size"], 32, 32, qk_norm=True), window),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 16384)),
        },
        layers=[(mixer, "mlp") for mixer in alternating(config, length, slides)],
    )


def _slides(config: Fields, length: int) -> list[bool]:
    """All but the last layer of a period, or by the letters L and G, as the first files have it."""
    pattern = config.raw("sliding_window_pattern")
    if isinstance(pattern, str):
        if not pattern or set(pattern) - {"L", "G"}:
            config.fail("sliding_window_pattern", "expected a number, or letters L and G")
        return [pattern[i % len(pattern)] == "L" for i in range(length)]
    period = config.size("sliding_window_pattern", 4)
    return [bool((i + 1) % period) for i in range(length)]
