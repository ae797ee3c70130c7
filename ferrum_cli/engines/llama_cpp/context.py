"""One context in bytes: rows of state, and cells of every cache, over all devices.

src/llama-memory-recurrent.cpp, llama-kv-cache.cpp and llama-kv-cache-iswa.cpp of 0c1e57098. It
knows nothing about devices or about how many slots fit.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines.llama_cpp.cache_types import CacheType
from ferrum_cli.engines.llama_cpp.inventory import CacheKind, CacheLayer, Inventory
from ferrum_cli.engines.llama_cpp.launch import Launch, Sizes, padded

_F32 = 4


@dataclass(frozen=True, slots=True)
class KvCache:
    """One cache: its cells in each stream, and bytes of keys and values for each of its layers."""

    kind: CacheKind
    cells: int
    streams: int
    layers: tuple[tuple[int, int, int], ...]
    """Layer number, bytes of keys, bytes of values."""

    @property
    def k_bytes(self) -> int:
        """Keys of all layers."""
        return sum(k for _, k, _ in self.layers)

    @property
    def v_bytes(self) -> int:
        """Values of all layers."""
        return sum(v for _, _, v in self.layers)

    @property
    def size_bytes(self) -> int:
        """Keys and values."""
        return self.k_bytes + self.v_bytes


@dataclass(frozen=True, slots=True)
class Context:
    """What a context allocates for its state and its caches."""

    sizes: Sizes
    cells: int
    """Cells of state: one for each slot, or none."""
    rows: int
    """Rows of each state tensor: cells, and as many again for every snapshot."""
    state_layers: tuple[tuple[int, int, int, int], ...]
    """Layer number, and bytes of R, S and P."""
    caches: tuple[KvCache, ...]

    @property
    def r_bytes(self) -> int:
        """Windows and last inputs."""
        return sum(r for _, r, _, _ in self.state_layers)

    @property
    def s_bytes(self) -> int:
        """Recurrent matrices."""
        return sum(s for _, _, s, _ in self.state_layers)

    @property
    def p_bytes(self) -> int:
        """Histories of n-gram features."""
        return sum(p for _, _, _, p in self.state_layers)

    @property
    def state_bytes(self) -> int:
        """All state."""
        return self.r_bytes + self.s_bytes + self.p_bytes

    @property
    def kv_bytes(self) -> int:
        """All caches."""
        return sum(cache.size_bytes for cache in self.caches)


def lay_out(
    found: Inventory,
    launch: Launch,
    sizes: Sizes,
    *,
    snapshots: int,
    types: tuple[CacheType, CacheType],
) -> Context:
    """The context of some layers for `sizes`, with snapshots of state and types of K and V."""
    cells = sizes.slots if found.has_state_memory else 0
    rows = cells * (1 + snapshots)
    return Context(
        sizes,
        cells,
        rows,
        tuple(
            (x.index, _F32 * rows * x.r, _F32 * rows * x.s, _F32 * rows * x.p) for x in found.state
        ),
        tuple(_caches(found, launch, sizes, types)),
    )


def _caches(
    found: Inventory, launch: Launch, sizes: Sizes, types: tuple[CacheType, CacheType]
) -> list[KvCache]:
    """The main cache, one for windows where there are any, and one for indexers."""
    if not found.has_cache_memory:
        return []
    caches = []
    for kind in CacheKind:
        layers = [layer for layer in found.caches if layer.kind is kind]
        if layers or (kind is CacheKind.FULL):
            cells = _cells(kind, found, launch, sizes)
            tokens = cells * sizes.streams
            widest = found.widest_v if launch.transposed_v else 0
            parts = tuple(_layer_bytes(layer, tokens, types, widest) for layer in layers)
            caches.append(KvCache(kind, cells, sizes.streams, parts))
    return caches


def _cells(kind: CacheKind, found: Inventory, launch: Launch, sizes: Sizes) -> int:
    """Cells of one stream; a unified window serves all slots, and each needs a batch beside it."""
    if kind is not CacheKind.WINDOW or launch.swa_full:
        return sizes.n_ctx_seq
    sharing = sizes.slots if launch.unified else 1
    return padded(min(sizes.n_ctx_seq, found.window * sharing + launch.ubatch))


def _layer_bytes(
    layer: CacheLayer, tokens: int, types: tuple[CacheType, CacheType], widest_v: int
) -> tuple[int, int, int]:
    type_k, type_v = types
    has_values = layer.v > 0
    v = max(layer.v, widest_v) if has_values else 0
    return (layer.index, type_k.row_bytes(layer.k) * tokens, type_v.row_bytes(v) * tokens)


def token_bytes(layer: CacheLayer, launch: Launch, widest_v: int) -> int:
    """Bytes that one token adds to a layer."""
    wide = widest_v if launch.transposed_v else 0
    _, k, v = _layer_bytes(layer, 1, (launch.type_k, launch.type_v), wide)
    return k + v
