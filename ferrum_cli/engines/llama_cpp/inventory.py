"""What each layer of a model keeps, in llama.cpp's terms: rows of state, and keys and values.

R holds a convolution's window or the last inputs (K − 1 columns), S the recurrent matrices, P the
history of n-gram features; all are f32. Latent attention keeps keys alone (llama-hparams.cpp,
llama-kv-cache.cpp, llama-memory-hybrid-idx.cpp of 0c1e57098). It knows nothing about slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from ferrum_cli.blocks import Cache, KeyValue, Latent, Matrix, Part, Role, Vector, Window
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.engines.llama_cpp.architectures import Architecture, DraftContext, Drafts
from ferrum_cli.expand import Expanded, ExpandedLayer, Placed

_POOLED = 3
"""A pooled indexer caches key, gate and pooled value for each token."""


class CacheKind(Enum):
    """Caches of one context, each with cells of its own."""

    FULL = "full"
    WINDOW = "window"
    INDEXER = "indexer"


@dataclass(frozen=True, slots=True)
class StateLayer:
    """Elements of one row of state in a layer; a row serves one slot or one snapshot of it."""

    index: int
    r: int
    s: int
    p: int

    @property
    def elements(self) -> int:
        """All of them."""
        return self.r + self.s + self.p


@dataclass(frozen=True, slots=True)
class CacheLayer:
    """Elements of one cell in a layer, and the widths of one head, which types must divide."""

    index: int
    kind: CacheKind
    k: int
    v: int
    head_k: int
    head_v: int
    window: int = 0


@dataclass(frozen=True, slots=True)
class Inventory:
    """The layers of one context that keep anything."""

    state: tuple[StateLayer, ...]
    caches: tuple[CacheLayer, ...]
    has_state_memory: bool
    """Whether a recurrent memory is made at all, be it empty."""
    has_cache_memory: bool
    is_latent: bool
    layers: int
    """Layers of the model, which llama.cpp calls the trunk."""
    all_layers: int
    """Those that propose tokens among them."""

    @property
    def widest_v(self) -> int:
        """The widest values of any layer (n_embd_v_gqa_max)."""
        return max((layer.v for layer in self.caches), default=0)

    @property
    def window(self) -> int:
        """The window of layers that have one; 0 where none has."""
        return max((layer.window for layer in self.caches), default=0)


def inventory(model: Expanded, architecture: Architecture, draft_context: bool) -> Inventory:
    """What a context of the model keeps, its own or that of its draft layers."""
    drafts = architecture.draft_context
    if not (architecture.recurrent or architecture.hybrid):
        drafts = DraftContext.CACHES
    apart = draft_context and drafts is not DraftContext.WHOLE
    state = () if apart else tuple(_state_layers(model, architecture))
    caches = tuple(_cache_layers(_cached(model, architecture, apart), architecture))
    hybrid = architecture.hybrid and bool(architecture.classes or model.state_layers)
    has_state = architecture.recurrent or hybrid
    if apart and drafts is DraftContext.CACHES:
        has_state = False
    return Inventory(
        state,
        caches,
        has_state_memory=has_state,
        has_cache_memory=not architecture.recurrent,
        is_latent=any(isinstance(cache, Latent) for _, cache in _caches(model.layers)),
        layers=len(model.layers),
        all_layers=len(model.layers) + len(model.draft_layers),
    )


def _cached(model: Expanded, architecture: Architecture, apart: bool) -> Iterator[ExpandedLayer]:
    """The layers whose caches a context makes."""
    if apart:
        yield from model.draft_layers
        return
    yield from (x for x in model.layers if not _holds_nothing(x, architecture))
    if architecture.drafts is Drafts.CACHED:
        yield from (x for x in model.draft_layers if not _holds_nothing(x, architecture))


def _holds_nothing(layer: ExpandedLayer, architecture: Architecture) -> bool:
    feeds = any(isinstance(p.block, (FeedForward, MixtureOfExperts)) for p in layer.placed)
    return architecture.feed_forward_layers_hold_nothing and feeds


def _caches(layers: Iterable[ExpandedLayer]) -> Iterator[tuple[Placed, Cache]]:
    return (pair for layer in layers for pair in layer.caches)


def _state_layers(model: Expanded, architecture: Architecture) -> Iterator[StateLayer]:
    shifts = model.description.hints.token_shift_count
    hidden = model.description.hidden_size
    for layer in model.layers:
        parts = [part for _, part in layer.state]
        if not parts or _holds_nothing(layer, architecture):
            continue
        r, s, p = (sum(_elements(x) for x in parts if _row(x) == row) for row in "RSP")
        if shifts is not None and any(x.role is Role.SHIFT for x in parts):
            r = shifts * hidden
        yield StateLayer(layer.index, r, s, p)


def _row(part: Part) -> str:
    """Which row a part lies in; token ids of n-grams are kept by none."""
    match part.role:
        case Role.RECURRENT:
            return "S"
        case Role.SHIFT:
            return "R"
        case Role.CONTEXT:
            return ""
        case Role.CONV:
            return "P" if part.name == "ple_conv_state" else "R"


def _elements(part: Part) -> int:
    match part:
        case Window(channels=channels):
            return part.history * sum(axis.size for axis in channels)
        case Matrix(heads=heads, value_dim=value_dim, key_dim=key_dim):
            return heads.size * value_dim * key_dim
        case Vector(axis=axis):
            return axis.size
        case _:
            return 0


def _cache_layers(
    layers: Iterable[ExpandedLayer], architecture: Architecture
) -> Iterator[CacheLayer]:
    for layer in layers:
        for placed, cache in layer.caches:
            yield _cache_layer(layer.index, placed, cache, architecture)


def _cache_layer(
    index: int, placed: Placed, cache: Cache, architecture: Architecture
) -> CacheLayer:
    if isinstance(cache, Latent):
        width = cache.rank + cache.rope_dim
        return CacheLayer(index, CacheKind.FULL, width, 0, width, cache.rank)
    if isinstance(cache, KeyValue):
        window = (cache.window or 0) if architecture.windows else 0
        return CacheLayer(
            index,
            CacheKind.WINDOW if window else CacheKind.FULL,
            cache.heads * cache.key_dim,
            cache.heads * cache.value_dim,
            cache.key_dim,
            cache.value_dim,
            window,
        )
    width = _indexer_width(placed, cache.key_dim)
    return CacheLayer(index, CacheKind.INDEXER, width, 0, width, width)


def _indexer_width(placed: Placed, key_dim: int) -> int:
    """One head of the indexer's width, three times that where keys are pooled."""
    if not isinstance(placed.block, Indexer):
        return key_dim
    return placed.block.head_dim * (_POOLED if placed.block.pool_size else 1)
