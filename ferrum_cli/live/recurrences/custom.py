"""Blocks that a description lists part by part: any tensors, under any names.

What is not floating-point holds token ids; everything else decays and is written to, which is the
form of every recurrence here. It knows nothing about what the block really computes.
"""

from __future__ import annotations

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences.ngram_context import push_token


def step(state: State, draw: Draw) -> None:
    """One token."""
    for tensor in state.values():
        if tensor.is_floating_point():
            _accumulate(tensor, draw)
        else:
            push_token(tensor, draw.token)


def _accumulate(tensor: torch.Tensor, draw: Draw) -> None:
    tensor.mul_(draw.decay(*tensor.shape).to(tensor.dtype))
    tensor.add_(draw.values(*tensor.shape).to(tensor.dtype))
