"""Compressed convolutional attention (ZAYA1): a window over both convolutions, and half a value.

It knows nothing about the attention, whose cache is no recurrent state.
"""

from __future__ import annotations

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences._window import push_next


def step(state: State, draw: Draw) -> None:
    """One token."""
    push_next(state["conv_state"], draw)
    delayed = state["value_state"]
    delayed.copy_(draw.values(*delayed.shape))
