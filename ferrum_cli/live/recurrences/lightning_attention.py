"""Lightning attention: S ← λ·S + v·kᵀ with a fixed decay for each head (arXiv 2401.04658).

It knows nothing about projections.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._matrix import by_head
from ferrum_cli.live.recurrences._mixer import State


def step(state: State, draw: Draw) -> None:
    """One token."""
    matrix = by_head(state["attention_state"])
    key, value = _inputs(matrix, draw)
    matrix.mul_(_decay(matrix)[:, None, None])
    matrix.add_(torch.einsum("hv,hk->hvk", value, key))


def chunk(state: State, draws: Sequence[Draw]) -> None:
    """Many tokens: each write decays by what comes after it."""
    matrix = by_head(state["attention_state"])
    drawn = [_inputs(matrix, draw) for draw in draws]
    key, value = (torch.stack(column, dim=1) for column in zip(*drawn, strict=True))
    decay, size = _decay(matrix), len(draws)
    after = torch.arange(size - 1, -1, -1, dtype=matrix.dtype, device=matrix.device)
    weight = decay[:, None] ** after
    matrix.mul_((decay**size)[:, None, None])
    matrix.add_(torch.einsum("htv,htk->hvk", value * weight[:, :, None], key))


def _decay(matrix: torch.Tensor) -> torch.Tensor:
    """1 - 2⁻⁵, 1 - 2⁻⁶, … over the heads, as slopes run over them."""
    heads = torch.arange(matrix.shape[0], device=matrix.device)
    return (1 - 2.0 ** -(5 + heads % 4)).to(matrix.dtype)


def _inputs(matrix: torch.Tensor, draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    heads, value_dim, key_dim = matrix.shape
    return (
        draw.unit(heads, key_dim).to(matrix.dtype),
        draw.values(heads, value_dim).to(matrix.dtype),
    )
