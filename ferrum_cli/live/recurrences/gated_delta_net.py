"""Gated DeltaNet: S ← g·S, then S ← S + β·(v - S·k)·kᵀ (arXiv 2412.06464, equation 10).

`delta_state` is [heads, value_dim, key_dim]. It knows nothing about projections or gates' weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._matrix import by_head
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences._window import push_all, push_next

Inputs = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def step(state: State, draw: Draw) -> None:
    """One token."""
    push_next(state["conv_state"], draw)
    matrix = by_head(state["delta_state"])
    key, value, beta, decay = inputs(matrix, draw)
    matrix.mul_(decay[:, None, None])
    seen = torch.einsum("hvk,hk->hv", matrix, key)
    matrix.add_(torch.einsum("hv,hk->hvk", beta[:, None] * (value - seen), key))


def chunk(state: State, draws: Sequence[Draw]) -> None:
    """Many tokens by one triangular solve for the corrections u (the WY form, section 3.3 there).

    u_t + β_t·Σ_{s<t} (b_t/b_s)·(k_s·k_t)·u_s = β_t·(v_t - b_t·S·k_t), b_t the product of decays;
    then S ← b_n·S + Σ_t (b_n/b_t)·u_t·k_tᵀ.
    """
    push_all(state["conv_state"], draws)
    matrix = by_head(state["delta_state"])
    drawn = [inputs(matrix, draw) for draw in draws]
    key, value, beta, decay = (torch.stack(column, dim=1) for column in zip(*drawn, strict=True))
    product = torch.cumprod(decay, dim=1)
    ratio = product[:, :, None] / product[:, None, :]
    between = torch.einsum("htk,hsk->hts", key, key) * ratio * beta[:, :, None]
    size = len(draws)
    unit = torch.eye(size, dtype=matrix.dtype, device=matrix.device)
    seen = torch.einsum("hvk,htk->htv", matrix, key) * product[:, :, None]
    corrections = torch.linalg.solve_triangular(
        between.tril(-1) + unit, beta[:, :, None] * (value - seen), upper=False, unitriangular=True
    )
    late = (product[:, -1:] / product)[:, :, None]
    matrix.mul_(product[:, -1, None, None])
    matrix.add_(torch.einsum("htv,htk->hvk", corrections * late, key))


def inputs(matrix: torch.Tensor, draw: Draw) -> Inputs:
    """Key, value, write gate and decay of one token, for each head."""
    heads, value_dim, key_dim = matrix.shape
    return (
        draw.unit(heads, key_dim).to(matrix.dtype),
        draw.values(heads, value_dim).to(matrix.dtype),
        draw.gate(heads).to(matrix.dtype),
        draw.decay(heads).to(matrix.dtype),
    )
