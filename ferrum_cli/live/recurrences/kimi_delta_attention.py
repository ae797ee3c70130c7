"""Kimi Delta Attention: a delta rule with a decay for each key channel (arXiv 2510.26692).

S ← S·diag(g), then S ← S + β·(v - S·k)·kᵀ. It knows nothing about projections.
"""

from __future__ import annotations

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._matrix import by_head
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences._window import push_next


def step(state: State, draw: Draw) -> None:
    """One token."""
    push_next(state["conv_state"], draw)
    matrix = by_head(state["delta_state"])
    heads, value_dim, key_dim = matrix.shape
    key = draw.unit(heads, key_dim).to(matrix.dtype)
    value = draw.values(heads, value_dim).to(matrix.dtype)
    beta = draw.gate(heads, 1).to(matrix.dtype)
    matrix.mul_(draw.decay(heads, 1, key_dim).to(matrix.dtype))
    seen = torch.einsum("hvk,hk->hv", matrix, key)
    matrix.add_(torch.einsum("hv,hk->hvk", beta * (value - seen), key))
