"""RWKV's channel mixing: the state is the last input.

It knows nothing about the feed-forward that mixes it in.
"""

from __future__ import annotations

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._mixer import State


def step(state: State, draw: Draw) -> None:
    """One token."""
    for shift in state.values():
        shift.copy_(draw.values(*shift.shape))
