"""The vision tower of Qwen3.5, Qwen3.5-MoE and Qwen4-Exp, counted.

Formula and class defaults are those of transformers 5.24.0, models/qwen3_5/modeling_qwen3_5.py and
configuration_qwen3_5.py. It knows nothing about the language model.
"""

from __future__ import annotations

from ferrum_cli.describe.huggingface._fields import Fields


def parameters(vision: Fields) -> int:
    """The tower, and a merger of patches with two projections."""
    merged, out = merged_width(vision), vision.size("out_hidden_size", 3584)
    return tower(vision) + int(merged * (merged + 1) + out * (merged + 1))


def merged_width(vision: Fields) -> int:
    """Channels of the patches that become one."""
    width: int = vision.size("hidden_size", 1152)
    return width * int(vision.size("spatial_merge_size", 2)) ** 2


def tower(vision: Fields) -> int:
    """Patch and position embeddings, blocks with biases everywhere, and a norm."""
    width = vision.size("hidden_size", 1152)
    patch = vision.size("in_channels", 3) * vision.size("temporal_patch_size", 2)
    patch *= vision.size("patch_size", 16) ** 2
    positions = vision.size("num_position_embeddings", 2304)
    embedding = width * (patch + 1) + positions * width
    depth = vision.layers(vision.first("num_hidden_layers", "depth"), 27)
    return int(embedding + depth * _block(vision, width) + 2 * width)


def _block(vision: Fields, width: int) -> int:
    inner = vision.size("intermediate_size", 4304)
    norms = 4 * width
    attention = 3 * width * (width + 1) + width * (width + 1)
    return int(norms + attention + inner * (width + 1) + width * (inner + 1))
