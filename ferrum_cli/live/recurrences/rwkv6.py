"""RWKV-6: S ← S·diag(w) + v·kᵀ with a decay for each key channel (arXiv 2404.05892).

It knows nothing about projections.
"""

from __future__ import annotations

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._matrix import by_head
from ferrum_cli.live.recurrences._mixer import State


def step(state: State, draw: Draw) -> None:
    """One token."""
    shift, matrix = state["att_shift"], by_head(state["wkv_state"])
    shift.copy_(draw.values(*shift.shape))
    heads, value_dim, key_dim = matrix.shape
    matrix.mul_(draw.decay(heads, 1, key_dim).to(matrix.dtype))
    value = draw.values(heads, value_dim).to(matrix.dtype)
    key = draw.unit(heads, key_dim).to(matrix.dtype)
    matrix.add_(torch.einsum("hv,hk->hvk", value, key))
