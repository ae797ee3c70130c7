"""The memory of convolutions and token shifts: the last inputs, the newest at the end.

It knows nothing about what is done with them.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ferrum_cli.live.recurrences._inputs import Draw


def push(window: torch.Tensor, column: torch.Tensor) -> None:
    """Shift one input, [channels], into a window, [channels, length]."""
    if window.shape[1]:
        window[:, :-1] = window[:, 1:].clone()
        window[:, -1] = column


def push_next(window: torch.Tensor, draw: Draw) -> None:
    """Draw the next input of a window and shift it in."""
    push(window, draw.values(window.shape[0]))


def push_all(window: torch.Tensor, draws: Sequence[Draw]) -> None:
    """Draw an input from each: only the last ones of them stay."""
    length = window.shape[1]
    columns = [draw.values(window.shape[0]) for draw in draws]
    kept = columns[max(0, len(columns) - length) :] if length else []
    if kept:
        stay = length - len(kept)
        window[:, :stay] = window[:, length - stay :].clone()
        window[:, stay:] = torch.stack(kept, dim=1)
