"""LFM3-VL: an LFM3 with a tower of convolutions and attention.

Class defaults and formulas are those of transformers 5.24.0, models/lfm3_vl/. It knows nothing
about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped
from ferrum_cli.describe.huggingface.lfm2 import KINDS

ARCHITECTURES = {"lfm3_vl": ("Lfm3VlForConditionalGeneration",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an LFM3-VL configuration."""
    found = wrapped(
        config,
        identity,
        "lfm3",
        tied=config.flag("tie_word_embeddings", True),
    )
    return with_tower(
        found, config, lambda vision: _tower(vision) + _projector(config, vision, found.hidden_size)
    )


def _tower(vision: Fields) -> int:
    """Patches and a norm, then layers of a gated convolution over the image or of attention."""
    width = vision.size("hidden_size", 1024)
    patch = vision.size("in_channels", 3) * vision.size("temporal_patch_size", 2)
    patch *= vision.size("patch_size", 16) ** 2
    length = vision.layers("num_hidden_layers", 14)
    default = ["conv" if i < 2 or i % 2 else "full_attention" for i in range(length)]  # noqa: PLR2004
    kinds = layer_kinds(vision, "layer_types", KINDS, length, default)
    heads = vision.size("num_attention_heads", 16)
    head = width // heads
    keys = vision.size("num_key_value_heads", 8) * head
    attention = 2 * width * heads * head + 2 * keys * width + 2 * head
    conv = 4 * width * width + width * vision.size("conv_kernel_size", 3) ** 2
    feed = 3 * width * vision.size("intermediate_size", 2560) + 2 * width
    mixing = kinds.count("conv") * conv + kinds.count("attention") * attention
    return int(width * patch + width + mixing + length * feed)


def _projector(config: Fields, vision: Fields, hidden: int) -> int:
    width = vision.size("hidden_size", 1024)
    merged = width * vision.size("spatial_merge_size", 2) ** 2
    inner = config.size("projector_hidden_size", 4096)
    bias = config.flag("projector_bias", True)
    return int(2 * width + inner * (merged + bias) + hidden * (inner + bias))
