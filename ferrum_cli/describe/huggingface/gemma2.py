"""Gemma 2 and Gemma 3: sliding and full attention in turn, sandwich norms, one may see.

Class defaults are those of transformers 5.24.0, models/gemma2/configuration_gemma2.py and
models/gemma3/configuration_gemma3.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _vision
from ferrum_cli.describe.huggingface._attention import alternating, attention, biased, both
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped

ARCHITECTURES = {
    "gemma2": ("Gemma2ForCausalLM",),
    "gemma3_text": ("Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"),
    "gemma3": ("Gemma3ForConditionalGeneration",),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Gemma configuration, of the language model alone or with vision around it."""
    if identity.model_type != "gemma3":
        return _language_model(config, identity)
    found = wrapped(
        config,
        identity,
        "gemma3_text",
        tied=config.flag("tie_word_embeddings", True),
    )
    return with_tower(found, config, lambda vision: _tower(vision, found.hidden_size))


def _tower(vision: Fields, hidden: int) -> int:
    """The tower, a projection and a norm."""
    width = _vision.sizes(vision)[0]
    return _vision.siglip(vision) + width * hidden + width


def _language_model(config: Fields, identity: Identity) -> Description:
    third = identity.model_type == "gemma3_text"
    found = sizes(
        config,
        hidden=2304,
        vocabulary=262208 if third else 256000,
        context=131072 if third else 8192,
        tied=True,
    )
    full = _attention(config, found["hidden_size"], third)
    window = _window(config, third)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            **both(full, window),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 9216)),
        },
        layers=[(mixer, "mlp") for mixer in _mixers(config, third)],
        post_norm=True,
    )


def _attention(config: Fields, hidden: int, third: bool) -> Attention:
    width = config.size("head_dim", 256)
    return attention(config, hidden, 8, 4, head_dim=width, qk_norm=third, **biased(config))


def _window(config: Fields, third: bool) -> int | None:
    """An encoder made of Gemma 3 looks half as far back, since it looks ahead as well."""
    window: int | None = config.nullable_size("sliding_window", 4096)
    both_ways = third and config.flag("use_bidirectional_attention", False, null=True)
    return window // 2 + 1 if window and both_ways else window


def _mixers(config: Fields, third: bool) -> tuple[str, ...]:
    """Every second layer attends to everything in Gemma 2, every sixth in Gemma 3."""
    length = config.layers("num_hidden_layers", 26)
    period = config.size("sliding_window_pattern", 6) if third else 2
    return alternating(config, length, [bool((i + 1) % period) for i in range(length)])
