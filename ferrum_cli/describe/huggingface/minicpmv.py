"""MiniCPM-V 4.6, 4.7 and MiniCPM-OCR: a Qwen3.5 with a SigLIP tower that merges windows midway.

Class defaults and formulas are those of transformers 5.24.0, models/minicpmv4_6/, minicpmv4_7/ and
minicpm_ocr/. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _vision
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped

_PATCHES_MERGED = 4

ARCHITECTURES = {
    "minicpmv4_6": ("MiniCPMV4_6ForConditionalGeneration",),
    "minicpmv4_7": ("MiniCPMV4_7ForConditionalGeneration",),
    "minicpm_ocr": ("MiniCPMOcrForConditionalGeneration",),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a MiniCPM-V configuration."""
    found = wrapped(
        config,
        identity,
        "qwen3_5_text",
        tied=config.flag("tie_word_embeddings", identity.model_type == "minicpm_ocr"),
    )
    return with_tower(found, config, lambda vision: _tower(config, vision, found.hidden_size))


def _tower(config: Fields, vision: Fields, hidden: int) -> int:
    """The tower without a head, with one merger inside and one behind it."""
    tower = _vision.siglip(vision, head=False) + _window_merger(vision)
    return tower + _merger(config, vision, hidden)


def _window_merger(vision: Fields) -> int:
    """Attention inside a window of patches, then a feed-forward of the window to one patch."""
    width, inner = _vision.sizes(vision)
    patches = _vision.area(vision, "window_kernel_size")
    window, window_inner = patches * width, patches * inner
    feed = window_inner * (window + 1) + width * (window_inner + 1)
    return int(4 * width * (width + 1) + 2 * width + 2 * window + feed)


def _merger(config: Fields, vision: Fields, hidden: int) -> int:
    """Merges patches a few times, the last time into the width of the language model.

    Four become one, whatever `merge_kernel_size` says.
    """
    width = _vision.sizes(vision)[0]
    merged = _PATCHES_MERGED * width
    times = config.size("merger_times", 1)
    once = 2 * merged + merged * (merged + 1)
    return int(times * once + (merged + 1) * ((times - 1) * width + hidden))
