"""mLSTM (xLSTM): C ← f·C + i·v·kᵀ and n ← f·n + i·k, kept in range by a running maximum m.

arXiv 2405.04517, equations 19 to 27, with f = exp(log f + m - m') and i = exp(log i - m'). It knows
nothing about projections.
"""

from __future__ import annotations

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._matrix import by_head
from ferrum_cli.live.recurrences._mixer import State


def step(state: State, draw: Draw) -> None:
    """One token."""
    matrix, normaliser, maximum = by_head(state["c_state"]), state["n_state"], state["m_state"]
    heads, value_dim, key_dim = matrix.shape
    key = draw.unit(heads, key_dim).to(matrix.dtype)
    value = draw.values(heads, value_dim).to(matrix.dtype)
    log_forget = draw.decay(heads, 1).to(matrix.dtype).log()
    log_input = draw.values(heads, 1).to(matrix.dtype)
    before = maximum.view(heads, 1).clone()
    after = torch.maximum(log_forget + before, log_input)
    forget, write = (log_forget + before - after).exp(), (log_input - after).exp()
    matrix.mul_(forget[:, :, None]).add_(torch.einsum("hv,hk->hvk", write * value, key))
    normaliser.mul_(forget).add_(write * key)
    maximum.copy_(after.view(maximum.shape))
