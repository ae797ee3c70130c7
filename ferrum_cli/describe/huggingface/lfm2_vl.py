"""LFM2-VL: an LFM2 with a SigLIP-2 tower.

Class defaults are those of transformers 5.24.0, models/lfm2_vl/configuration_lfm2_vl.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _vision
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_vision, wrapped
from ferrum_cli.describe.huggingface.lfm2 import tied

ARCHITECTURES = {"lfm2_vl": ("Lfm2VlForConditionalGeneration",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an LFM2-VL configuration."""
    found = wrapped(config, identity, config.child("text_config"), "lfm2", tied=tied(config))
    return with_vision(found, _parameters(config, found.hidden_size))


def _parameters(config: Fields, hidden: int) -> int | None:
    vision = config.optional_child("vision_config")
    if vision is None:
        return None
    width = _vision.sizes(vision)[0] * config.size("downsample_factor", 2) ** 2
    inner = config.size("projector_hidden_size", 2560)
    bias = config.flag("projector_bias", True)
    projector = inner * (width + bias) + hidden * (inner + bias)
    if config.flag("projector_use_layernorm", True):
        projector += 2 * width
    return int(_vision.siglip2(vision) + projector)
