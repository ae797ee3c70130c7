"""Description → every executed layer with its blocks' parts and caches.

It knows nothing about sharding; a part here is of the whole model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ferrum_cli.blocks import Block, Cache, Part
from ferrum_cli.describe.description import Description, Layer


@dataclass(frozen=True, slots=True)
class Placed:
    """A block where it stands in a layer, with what it keeps there."""

    name: str
    block: Block
    state: tuple[Part, ...]
    caches: tuple[Cache, ...]


@dataclass(frozen=True, slots=True)
class ExpandedLayer:
    """One executed layer; `index` counts from zero, each pass of a repeated layer apart."""

    index: int
    placed: tuple[Placed, ...]

    @property
    def state(self) -> Iterator[tuple[Placed, Part]]:
        """Every part of recurrent state, with the block that keeps it."""
        return ((placed, part) for placed in self.placed for part in placed.state)

    @property
    def caches(self) -> Iterator[tuple[Placed, Cache]]:
        """Every cache that grows with tokens, with the block that keeps it."""
        return ((placed, cache) for placed in self.placed for cache in placed.caches)


@dataclass(frozen=True)
class Expanded:
    """A model with all its layers; draft layers, which count only with speculation, are apart."""

    description: Description
    layers: tuple[ExpandedLayer, ...]
    draft_layers: tuple[ExpandedLayer, ...]

    @cached_property
    def state_layers(self) -> tuple[ExpandedLayer, ...]:
        """Layers that keep recurrent state."""
        return tuple(layer for layer in self.layers if any(placed.state for placed in layer.placed))

    @cached_property
    def cache_layers(self) -> tuple[ExpandedLayer, ...]:
        """Layers that keep something for every token."""
        return tuple(
            layer for layer in self.layers if any(placed.caches for placed in layer.placed)
        )

    @cached_property
    def state_kinds(self) -> tuple[str, ...]:
        """The kinds of block that keep state, in the order of their first layer."""
        kinds = (placed.block.kind for layer in self.layers for placed, _ in layer.state)
        return tuple(dict.fromkeys(kinds))


def expand(description: Description) -> Expanded:
    """Lay out every layer; blocks are placed once and shared by the layers that name them."""
    hidden = description.hidden_size
    placed = {
        name: Placed(name, block, block.state(hidden), block.cache(hidden))
        for name, block in description.blocks.items()
    }

    def _place(index: int, layer: Layer) -> ExpandedLayer:
        return ExpandedLayer(index, tuple(placed[name] for name in layer.names))

    layers = tuple(_place(i, layer) for i, layer in enumerate(description.layers))
    drafts = description.draft.layers if description.draft else ()
    return Expanded(
        description, layers, tuple(_place(len(layers) + i, d) for i, d in enumerate(drafts))
    )
