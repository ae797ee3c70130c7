"""Jet-VLM: a Jet-Nemotron with a SigLIP tower.

Read from SGLang 0.5.23, configs/jet_vlm.py and models/jet_vlm.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _vision
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped

ARCHITECTURES = {"jet_vlm": ("JetVLMForConditionalGeneration",)}

_PATCHES_MERGED = 4
_TOWER_WIDTH = 1152
"""Width of the tower's output, which the projector takes for granted."""


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Jet-VLM configuration; the word on ties is the text's."""
    found = wrapped(config, identity, "jet_nemotron", tied=None)
    return with_tower(found, config, lambda vision: _tower(vision, found.hidden_size))


def _tower(vision: Fields, hidden: int) -> int:
    """The tower, a norm and two projections with biases."""
    width = _PATCHES_MERGED * _TOWER_WIDTH
    projector = 2 * width + hidden * (width + 1) + hidden * (hidden + 1)
    return _vision.siglip(vision) + projector
