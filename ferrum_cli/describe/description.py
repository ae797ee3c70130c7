"""A model as data: blocks by name, layers as lists of those names, and a few sizes.

It knows nothing about where a description came from, nor about engines and devices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ferrum_cli.blocks import Block, Weight
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.stored_weights import StoredWeights
from ferrum_cli.dtype import DType

Norm = Literal["rms", "layer", "layer_no_bias", "none"]
"""The normalisation before an entry: weights of hidden_size, and a bias for `layer`."""

NORM_VECTORS: Mapping[str, int] = {"rms": 1, "layer": 2, "layer_no_bias": 1, "none": 0}


@dataclass(frozen=True, slots=True)
class Layer:
    """Entries that run one after another; names in one entry run side by side behind one norm."""

    entries: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> Iterator[str]:
        """Every block of the layer, in order."""
        return (name for entry in self.entries for name in entry)


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive layers that run `passes` times: state for each pass, weights once."""

    layers: tuple[Layer, ...]
    passes: int = 1


@dataclass(frozen=True, slots=True)
class Draft:
    """Layers that propose tokens (MTP, EAGLE); they count only with speculation."""

    method: str
    layers: tuple[Layer, ...]
    shares_embeddings: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One model. Sizes are of the whole model, before any split over devices."""

    name: str
    dtype: DType
    hidden_size: int
    vocab_size: int
    max_context: int
    blocks: Mapping[str, Block]
    spans: tuple[Span, ...]
    source: str | None = None
    architecture: str | None = None
    tie_embeddings: bool = False
    norm: Norm = "rms"
    post_norm: bool = False
    final_norm: bool = True
    parameters: Literal["exact", "approximate"] = "exact"
    other_parameters: int = 0
    """Weights outside the blocks and their norms, such as a norm after the embedding."""
    vision_parameters: int = 0
    draft: Draft | None = None
    hints: Hints = field(default_factory=Hints)
    notes: tuple[str, ...] = ()
    """What the reader had to assume; shown as findings, never written to a file."""
    stored_weights: StoredWeights | None = None
    """The weights as they lie in files, where those were read; never written to a file."""

    @property
    def layers(self) -> Iterator[Layer]:
        """The layers as they are executed, each pass counted."""
        for span in self.spans:
            for _ in range(span.passes):
                yield from span.layers

    @property
    def num_layers(self) -> int:
        """Layers that are executed for one token."""
        return sum(len(span.layers) * span.passes for span in self.spans)

    @property
    def norm_vectors(self) -> int:
        """Vectors of hidden_size that one norm weighs."""
        return NORM_VECTORS[self.norm]

    def block_weights(self, name: str) -> tuple[Weight, ...]:
        """The weights of the block called `name`."""
        return self.blocks[name].weights(self.hidden_size)
