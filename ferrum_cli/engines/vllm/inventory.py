"""What a model's layers keep, counted for each pipeline rank, and what that makes of the model.

Layers go to ranks as in distributed/utils.py, get_pp_indices, vLLM 0.33.0. It knows nothing about
options other than the split.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ferrum_cli.blocks import KeyValue, Latent
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import Expanded, ExpandedLayer, Placed

STREAM_CONVOLUTION = "stream_convolution"
"""Inkling's convolutions, which vLLM keeps as a sliding window and not as state."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A block that keeps something, and the layers it stands in on each pipeline rank."""

    placed: Placed
    layers: tuple[int, ...]
    draft: bool = False


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything a model keeps; drafts stand on the last rank."""

    counted: tuple[Counted, ...]
    partition: tuple[range, ...]

    @property
    def state(self) -> tuple[Counted, ...]:
        """The blocks that keep recurrent state in vLLM's sense."""
        return tuple(c for c in self.counted if keeps_state(c.placed))

    @property
    def caches(self) -> tuple[Counted, ...]:
        """The target's blocks that keep something for every token."""
        return tuple(c for c in self.counted if c.placed.caches and not c.draft)

    @property
    def model_type(self) -> Literal["hybrid", "attention_free", "decoder"]:
        """What vLLM calls the model, by which it chooses defaults."""
        if not self.state:
            return "decoder"
        return "hybrid" if self.caches else "attention_free"

    @property
    def latent(self) -> Latent | None:
        """The latent cache, where attention is latent attention."""
        return next(
            (k for c in self.caches for k in c.placed.caches if isinstance(k, Latent)), None
        )

    @property
    def indexer(self) -> Indexer | None:
        """The indexer beside a sparse attention."""
        blocks = (c.placed.block for c in self.counted)
        return next((b for b in blocks if isinstance(b, Indexer)), None)

    @property
    def head_dim(self) -> int:
        """Width of a head of the first attention, or of a latent row."""
        for counted in self.caches:
            for cache in counted.placed.caches:
                if isinstance(cache, KeyValue):
                    return cache.key_dim
                if isinstance(cache, Latent):
                    return cache.rank + cache.rope_dim
        return 0


def keeps_state(placed: Placed) -> bool:
    """Whether vLLM keeps a page of recurrent state for the block."""
    return bool(placed.state) and placed.block.kind != STREAM_CONVOLUTION


def take(model: Expanded, partition: tuple[range, ...], with_draft: bool) -> Inventory:
    """Count the blocks of `model` on each rank, in the order of their first layer."""
    found: dict[str, Placed] = {}
    counts: dict[str, list[int]] = {}
    ranks = len(partition)
    for rank, indices in enumerate(partition):
        for placed in _keeping(model.layers[indices.start : indices.stop]):
            if placed.name not in counts:
                found[placed.name] = placed
                counts[placed.name] = [0] * ranks
            counts[placed.name][rank] += 1
    counted = [Counted(found[name], tuple(layers)) for name, layers in counts.items()]
    if with_draft:
        counted += _drafts(model, ranks)
    return Inventory(tuple(counted), partition)


def partition(num_layers: int, pp: int, given: Sequence[int] | None = None) -> tuple[range, ...]:
    """Consecutive layers for each rank: what does not divide goes to the ranks before the last.

    Raises UsageError for a partition that does not fit.
    """
    if given is not None and (len(given) != pp or sum(given) != num_layers):
        raise UsageError(
            f"{','.join(map(str, given))} does not divide {num_layers} layers over {pp} ranks",
            hint=f"give {pp} numbers whose sum is {num_layers}",
            where="--set VLLM_PP_LAYER_PARTITION",
        )
    if given is None:
        share, left = divmod(num_layers, pp)
        given = [share + (pp - 1 - left <= rank < pp - 1) for rank in range(pp)]
    starts = [sum(given[:rank]) for rank in range(len(given) + 1)]
    return tuple(range(a, b) for a, b in itertools.pairwise(starts))


def _keeping(layers: Iterable[ExpandedLayer]) -> list[Placed]:
    return [p for layer in layers for p in layer.placed if p.state or p.caches]


def _drafts(model: Expanded, ranks: int) -> list[Counted]:
    placed = _keeping(model.draft_layers)
    before = (0,) * (ranks - 1)
    unique = {p.name: p for p in placed}
    return [
        Counted(block, (*before, sum(p.name == name for p in placed)), draft=True)
        for name, block in unique.items()
    ]
