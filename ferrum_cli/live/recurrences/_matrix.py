"""Matrices of heads: seen with three axes even where the values have only one row.

It knows nothing about what is written into them.
"""

from __future__ import annotations

import torch

_AXES = 3


def by_head(tensor: torch.Tensor) -> torch.Tensor:
    """A view [heads, value_dim, key_dim]; the native layout leaves a value_dim of 1 out."""
    return tensor if tensor.dim() == _AXES else tensor.unsqueeze(1)
