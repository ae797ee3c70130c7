"""Draws that return what a test wrote down, and states to feed them to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from ferrum_cli.live.recurrences._inputs import Draw

Step = Callable[[dict[str, torch.Tensor], Draw], None]


class Written(Draw):
    """Gives these numbers, call after call, in the shapes that are asked for."""

    def __init__(self, *numbers: float | Sequence[float], token: int = 0) -> None:
        super().__init__(0, token, torch.device("cpu"))
        self._numbers = list(numbers)

    def values(self, *shape: int) -> torch.Tensor:
        given = torch.tensor(self._numbers.pop(0), dtype=torch.float64)
        return given.expand(shape) if given.dim() == 0 else given.view(shape)

    unit = decay = gate = values

    @property
    def is_used_up(self) -> bool:
        """Whether every number was asked for."""
        return not self._numbers


def after(step: Step, state: dict[str, torch.Tensor], *draws: Written) -> dict[str, list[float]]:
    """The state after these tokens, as flat lists."""
    for draw in draws:
        step(state, draw)
        assert draw.is_used_up
    return {name: tensor.reshape(-1).tolist() for name, tensor in state.items()}


def zeros(**shapes: tuple[int, ...]) -> dict[str, torch.Tensor]:
    """State tensors of zeros."""
    return {name: torch.zeros(shape, dtype=torch.float64) for name, shape in shapes.items()}
