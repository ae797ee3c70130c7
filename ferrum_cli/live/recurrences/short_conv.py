"""Short convolution (LFM2): the state is the last K - 1 inputs, nothing else.

It knows nothing about what the convolution computes from them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences._window import push_all, push_next


def step(state: State, draw: Draw) -> None:
    """Shift one input into each window."""
    for window in state.values():
        push_next(window, draw)


def chunk(state: State, draws: Sequence[Draw]) -> None:
    """Keep the last inputs of many."""
    for window in state.values():
        push_all(window, draws)
