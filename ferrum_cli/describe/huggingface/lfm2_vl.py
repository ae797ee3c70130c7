"""LFM2-VL: an LFM2 with a SigLIP-2 tower.

Class defaults are those of transformers 5.24.0, models/lfm2_vl/configuration_lfm2_vl.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _vision
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped
from ferrum_cli.describe.huggingface.lfm2 import tied

ARCHITECTURES = {"lfm2_vl": ("Lfm2VlForConditionalGeneration",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an LFM2-VL configuration."""
    found = wrapped(config, identity, "lfm2", tied=tied(config))
    return with_tower(found, config, lambda vision: _tower(config, vision, found.hidden_size))


def _tower(config: Fields, vision: Fields, hidden: int) -> int:
    """The tower, and a projector of neighbouring patches."""
    width = _vision.sizes(vision)[0] * config.size("downsample_factor", 2) ** 2
    inner = config.size("projector_hidden_size", 2560)
    bias = config.flag("projector_bias", True)
    projector = inner * (width + bias) + hidden * (inner + bias)
    if config.flag("projector_use_layernorm", True):
        projector += 2 * width
    return int(_vision.siglip2(vision) + projector)
