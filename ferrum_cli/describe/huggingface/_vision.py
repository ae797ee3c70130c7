"""Vision towers of the SigLIP kind, counted: layers with biases, embeddings, a head.

Formulas and class defaults are those of transformers 5.24.0, models/siglip2/modeling_siglip2.py and
models/siglip/configuration_siglip.py. It knows nothing about a particular wrapper.
"""

from __future__ import annotations

from ferrum_cli.describe.huggingface._fields import Fields

_SIDES = 2


def siglip2(vision: Fields) -> int:
    """A tower with one position embedding for each of `num_patches`."""
    return _tower(vision, vision.size("num_patches", 256)) + _head(vision)


def siglip(vision: Fields, *, head: bool = True) -> int:
    """A tower whose position embeddings follow from the sizes of image and patch."""
    side = vision.size("image_size", 224) // vision.size("patch_size", 16)
    return _tower(vision, int(side**2)) + (_head(vision) if head else 0)


def area(fields: Fields, name: str) -> int:
    """Patches in a rectangle, which a list of two sides gives."""
    sides = fields.counts(name, (2, 2))
    if len(sides) != _SIDES or not all(side > 0 for side in sides):
        fields.fail(name, "expected two sides of a rectangle")
    return int(sides[0] * sides[1])


def layer(width: int, inner: int) -> int:
    """Four projections, two of a feed-forward, two norms; all have biases."""
    return 4 * width * (width + 1) + inner * (width + 1) + width * (inner + 1) + 4 * width


def sizes(vision: Fields) -> tuple[int, int]:
    """Width and inner width of a layer."""
    return vision.size("hidden_size", 768), vision.size("intermediate_size", 3072)


def _tower(vision: Fields, positions: int) -> int:
    width, inner = sizes(vision)
    patch = vision.size("num_channels", 3) * vision.size("patch_size", 16) ** 2
    embeddings = width * (patch + 1) + positions * width
    return int(
        embeddings + vision.layers("num_hidden_layers", 12) * layer(width, inner) + 2 * width
    )


def _head(vision: Fields) -> int:
    """Pooling by attention from one learned query."""
    if not vision.flag("vision_use_head", True):
        return 0
    width, inner = sizes(vision)
    attention = 4 * width * (width + 1)
    return width + attention + 2 * width + inner * (width + 1) + width * (inner + 1)
