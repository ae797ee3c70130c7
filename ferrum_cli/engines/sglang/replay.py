"""ReplaySSM's ring buffers: the last tokens' inputs instead of a state for every draft token.

SGLang 0.5.23, configs/mamba_utils.py (replayssm_ring_bytes_per_req) and mem_cache/memory_pool.py.
It knows nothing about how many rings there are.
"""

from __future__ import annotations

from ferrum_cli.dtype import DType
from ferrum_cli.engines.sglang.state_shape import StateShape

_GATE = DType.FP32.size_bytes


def ring_bytes(shape: StateShape, conv: DType, tokens: int) -> int:
    """One layer's rings for one request, or for one slot of KDA, when draft tokens are verified.

    KDA keeps raw values and keys, betas, a gate for each channel, and d and k; Gated DeltaNet
    keeps d, k and one gate for each head, and low parts of d and k where they are not float32.
    """
    heads, value_dim, key_dim = shape.temporal
    values = heads * tokens * value_dim * conv.size_bytes
    keys = shape.key_heads * tokens * key_dim * conv.size_bytes
    if shape.is_kda:
        gates = heads * tokens * key_dim * _GATE
        return 2 * values + 2 * keys + heads * tokens * _GATE + gates
    parts = 1 if conv is DType.FP32 else 2
    return parts * (values + keys) + heads * tokens * _GATE


def decode_ring_bytes(shape: StateShape, temporal: DType, tokens: int) -> int:
    """One layer's rings for one slot with `--enable-linear-replayssm`: d and k in state dtype."""
    heads, value_dim, key_dim = shape.temporal
    values = heads * tokens * value_dim * temporal.size_bytes
    keys = shape.key_heads * tokens * key_dim * temporal.size_bytes
    gate_width = key_dim if shape.is_kda else 1
    return values + keys + heads * tokens * gate_width * _GATE
