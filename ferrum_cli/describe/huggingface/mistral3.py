"""Mistral Small 3 and Ministral 3 with vision: a Mistral of any kind and a Pixtral tower.

Class defaults and formulas are those of transformers 5.24.0, models/mistral3/ and
models/pixtral/configuration_pixtral.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped

ARCHITECTURES = {"mistral3": ("Mistral3ForConditionalGeneration",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a configuration of Mistral with vision."""
    found = wrapped(
        config,
        identity,
        "mistral",
        tied=config.flag("tie_word_embeddings", True),
    )
    return with_tower(
        found, config, lambda vision: _tower(vision) + _projector(config, vision, found.hidden_size)
    )


def _tower(vision: Fields) -> int:
    """Patches and a norm, then layers of attention and a gated feed-forward without biases."""
    width = vision.size("hidden_size", 1024)
    patch = vision.size("num_channels", 3) * vision.size("patch_size", 16) ** 2
    feed = 3 * width * vision.size("intermediate_size", 4096)
    layer = 4 * width * width + feed + 2 * width
    return int(width * patch + width + vision.layers("num_hidden_layers", 24) * layer)


def _projector(config: Fields, vision: Fields, hidden: int) -> int:
    """A norm, a merger of neighbouring patches, and two projections."""
    width = vision.size("hidden_size", 1024)
    merger = width * width * config.size("spatial_merge_size", 2) ** 2
    bias = config.flag("multimodal_projector_bias", False)
    return int(width + merger + hidden * (width + bias) + hidden * (hidden + bias))
