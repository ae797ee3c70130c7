"""Mamba-2: S ← a·S + x·Bᵀ with one decay for each head (arXiv 2405.21060, section 7).

`ssm_state` is [heads, head_dim, state]. It knows nothing about projections or groups.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._matrix import by_head
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences._window import push_all, push_next


def step(state: State, draw: Draw) -> None:
    """One token."""
    push_next(state["conv_state"], draw)
    matrix = by_head(state["ssm_state"])
    decay, inner, write = _inputs(matrix, draw)
    matrix.mul_(decay[:, None, None])
    matrix.add_(torch.einsum("hp,hn->hpn", inner, write))


def chunk(state: State, draws: Sequence[Draw]) -> None:
    """Many tokens as one product of matrices weighted by decays (the SSD form)."""
    push_all(state["conv_state"], draws)
    matrix = by_head(state["ssm_state"])
    drawn = [_inputs(matrix, draw) for draw in draws]
    decay, inner, write = (torch.stack(column, dim=1) for column in zip(*drawn, strict=True))
    product = torch.cumprod(decay, dim=1)
    late = product[:, -1:] / product
    matrix.mul_(product[:, -1, None, None])
    matrix.add_(torch.einsum("htp,htn->hpn", inner * late[:, :, None], write))


def _inputs(matrix: torch.Tensor, draw: Draw) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    heads, head_dim, width = matrix.shape
    return (
        draw.decay(heads).to(matrix.dtype),
        draw.values(heads, head_dim).to(matrix.dtype),
        draw.unit(heads, width).to(matrix.dtype),
    )
