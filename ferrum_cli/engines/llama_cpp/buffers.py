"""Buffers for computing and for outputs: an interval for the first, exact bytes for the second.

llama.cpp measures compute buffers by building the worst graph, and no closed form is known. The
interval holds every figure that was measured on 0c1e57098 (CPU backend, 225 contexts of 46 models);
other backends fuse more and need less. It knows nothing about state or KV.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.latent_attention import LatentAttention
from ferrum_cli.engines.llama_cpp.architectures import Architecture
from ferrum_cli.engines.llama_cpp.launch import Launch, Sizes
from ferrum_cli.expand import Expanded

_F32, _F16 = 4, 2
_LEAST_ROWS = 2
"""Rows of hidden_size for each token that every measured graph has."""
_ROWS_BESIDE_LOGITS = 10
_ROWS_IN_LAYERS = 27
"""Rows for each token in the widest layer that was measured (MiniMax-Text-01); for each stream."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Bytes that are needed at least and at most."""

    low: int
    high: int


def output_bytes(model: Expanded, sizes: Sizes) -> int:
    """Logits of one row for each slot, in host memory (output_reserve); it grows with outputs."""
    return _F32 * sizes.slots * model.description.vocab_size


def server_outputs(launch: Launch, slots: int) -> int:
    """Rows with logits that llama-server asks for: one a slot, and one for each proposed token."""
    return min(launch.batch, slots * (1 + launch.proposed))


def compute_interval(
    model: Expanded, architecture: Architecture, launch: Launch, sizes: Sizes, outputs: int
) -> Interval:
    """Bytes of the compute buffers of all devices together.

    tokens·(2·H + outputs' logits) at least; at most the larger of logits + 10·H and 27·H for each
    stream, and the mask of `n_ctx_seq` (f16), or without flash attention the scores of all heads.
    """
    tokens = min(sizes.n_ctx, launch.ubatch)
    row = _F32 * tokens * model.description.hidden_size
    logits = _F32 * min(tokens, outputs) * model.description.vocab_size
    peak = max(logits + _ROWS_BESIDE_LOGITS * row, _ROWS_IN_LAYERS * architecture.streams * row)
    return Interval(
        logits + _LEAST_ROWS * row, peak + tokens * sizes.n_ctx_seq * _per_token(model, launch)
    )


def _per_token(model: Expanded, launch: Launch) -> int:
    """Bytes for each pair of tokens that the attention of one layer weighs."""
    if not model.cache_layers:
        return 0
    if launch.flash is not False:
        return _F16
    blocks = model.description.blocks.values()
    heads = (b.num_heads for b in blocks if isinstance(b, (Attention, LatentAttention)))
    return _F32 * (1 + max(heads, default=0))
