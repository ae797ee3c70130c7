"""Buffers for computing and for outputs: an interval for the first, exact bytes for the second.

llama.cpp measures compute buffers by building the worst graph, and no closed form is known. The
interval holds what was measured on 0c1e57098 with the CPU backend; other backends fuse more and
need less. It knows nothing about what is allocated for state or KV.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.blocks.latent_attention import LatentAttention
from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.engines.llama_cpp.architectures import Architecture
from ferrum_cli.engines.llama_cpp.inventory import CacheKind, Inventory
from ferrum_cli.engines.llama_cpp.launch import Launch, Sizes
from ferrum_cli.expand import Expanded

_F32, _F16 = 4, 2
_LEAST_ROWS = 2
"""Rows of hidden_size for each token that every measured graph has."""
_ROWS_BESIDE_LOGITS = 10
_ROWS_IN_LAYERS = 27
"""Rows for each token in the widest layer that was measured (ARWKV-7B); for each stream."""
_PARTS_OF_A_POOLED_KEY = 3
_COPIES_OF_STATE = 3
"""Of one layer, as measured with RWKV-7 and 16 slots."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Bytes that are needed at least and at most."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class ComputeTerms:
    """What the interval of a compute buffer is made of, in bytes."""

    logits: int
    row: int
    """hidden_size of every token, in f32."""
    streams: int
    """Residual streams."""
    copies: int
    """Copies of one layer's state."""
    attention: int
    """For pairs of tokens, and for caches that are copied into another type."""

    @property
    def interval(self) -> Interval:
        """At least and at most."""
        layers = _ROWS_IN_LAYERS * self.streams * self.row + self.copies
        peak = max(self.logits + _ROWS_BESIDE_LOGITS * self.row, layers)
        return Interval(self.logits + _LEAST_ROWS * self.row, peak + self.attention)

    @property
    def least(self) -> str:
        """The formula of the lower end."""
        return f"{self.logits} B of logits + {_LEAST_ROWS} × {self.row} B of rows"

    @property
    def most(self) -> str:
        """The formula of the upper end."""
        beside = f"{self.logits} B of logits + {_ROWS_BESIDE_LOGITS} × {self.row} B of rows"
        layers = f"{_ROWS_IN_LAYERS} × {self.streams} streams × {self.row} B of rows"
        copies = f"{self.copies} B of copies of state"
        return f"max({beside}, {layers} + {copies}) + {self.attention} B of attention"


def output_bytes(model: Expanded, sizes: Sizes) -> int:
    """Logits of one row for each slot, in host memory (output_reserve); it grows with outputs."""
    return _F32 * sizes.slots * model.description.vocab_size


def server_outputs(launch: Launch, slots: int) -> int:
    """Rows with logits that llama-server asks for: one a slot, and one for each proposed token."""
    return min(launch.batch, slots * (1 + launch.proposed))


def compute_terms(
    model: Expanded,
    architecture: Architecture,
    found: Inventory,
    launch: Launch,
    sizes: Sizes,
    outputs: int,
) -> ComputeTerms:
    """Bytes of a device's compute buffer, H being hidden_size.

    At least 2·H for each token and the logits of the outputs. At most the larger of logits + 10·H,
    and 27·H for each residual stream with three copies of one layer's state; and what attention
    needs for each pair of tokens, or to turn an f32 cache into f16.
    """
    tokens = min(sizes.n_ctx, launch.ubatch)
    row = _F32 * tokens * model.description.hidden_size
    logits = _F32 * min(tokens, outputs) * model.description.vocab_size
    state = max((layer.elements for layer in found.state), default=0)
    copies = _COPIES_OF_STATE * (1 + launch.snapshots) * _F32 * sizes.slots * state
    per_pair = _per_pair(model, launch) + _per_choice(model)
    # As many tokens are reserved for each slot (graph_reserve).
    each = -(-tokens // sizes.slots)
    attention = each * sizes.slots * (sizes.n_ctx_seq * per_pair + each * _per_decay(model))
    attention += _casts(found, launch, sizes) + _indexer_keys(found, sizes)
    return ComputeTerms(logits, row, architecture.streams, copies, attention)


def _per_pair(model: Expanded, launch: Launch) -> int:
    """Bytes for each pair of tokens that the attention of one layer weighs.

    A mask in f16; the scores of all heads where flash attention is off, or may turn itself off
    because keys and values differ in type.
    """
    if not model.cache_layers:
        return 0
    if launch.flash or (launch.flash is None and launch.type_k == launch.type_v):
        return _F16
    blocks = model.description.blocks.values()
    heads = (b.num_heads for b in blocks if isinstance(b, (Attention, LatentAttention)))
    return _F32 * (1 + max(heads, default=0))


def _per_choice(model: Expanded) -> int:
    """Bytes for each pair of tokens that an indexer weighs: scores of its heads, twice.

    A key may stand for several tokens. Where keys are pooled, all heads are one operation.
    """
    hints, blocks = model.description.hints, model.description.blocks.values()
    found = 0
    for block in (b for b in blocks if isinstance(b, Indexer)):
        heads = 0 if block.pool_size else block.num_heads
        found = max(found, _F32 + 2 * _F32 * heads // (hints.index_compress_ratio or 1))
    return found


def _per_decay(model: Expanded) -> int:
    """Bytes for each pair of tokens of one slot's batch in lightning attention: three matrices."""
    blocks = model.description.blocks.values()
    heads = (b.num_heads for b in blocks if isinstance(b, LightningAttention))
    return 3 * _F32 * max(heads, default=0)


def _indexer_keys(found: Inventory, sizes: Sizes) -> int:
    """What an indexer's cache holds in f32, and the key that is pooled from it, for every slot."""
    widest = max((x.k for x in found.caches if x.kind is CacheKind.INDEXER), default=0)
    return _F32 * (widest + widest // _PARTS_OF_A_POOLED_KEY) * sizes.n_ctx_seq * sizes.slots


def _casts(found: Inventory, launch: Launch, sizes: Sizes) -> int:
    """Flash attention works on f16: caches in f32 are copied, a layer at a time.

    Latent attention reads its values from the keys, and they are copied apart: then, and without
    flash attention, which needs them transposed.
    """
    k = max((x.k for x in found.caches), default=0) if launch.type_k.name == "f32" else 0
    v = max((x.v or x.head_v for x in found.caches), default=0)
    copies = int(launch.type_v.name == "f32") + int(found.is_latent and launch.flash is False)
    return _F16 * sizes.n_ctx_seq * sizes.streams * (k + copies * v)
