"""RG-LRU (Griffin, RecurrentGemma): h ← a·h + √(1 - a²)·x for each channel (arXiv 2402.19427).

It knows nothing about the gates that give a.
"""

from __future__ import annotations

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences._window import push_next


def step(state: State, draw: Draw) -> None:
    """One token."""
    push_next(state["conv_state"], draw)
    hidden = state["recurrent_state"]
    decay = draw.decay(*hidden.shape).to(hidden.dtype)
    write = (1 - decay * decay).sqrt()
    hidden.mul_(decay).add_(write * draw.values(*hidden.shape).to(hidden.dtype))
