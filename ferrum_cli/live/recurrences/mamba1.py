"""Mamba: h ← a·h + b·x for each channel and state element (arXiv 2312.00752).

`ssm_state` is [channels, state] or, with heads, [heads, width, state]. It knows nothing about the
discretisation that gives a and b.
"""

from __future__ import annotations

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences._window import push_next


def step(state: State, draw: Draw) -> None:
    """One token."""
    push_next(state["conv_state"], draw)
    hidden = state["ssm_state"]
    hidden.mul_(draw.decay(*hidden.shape).to(hidden.dtype))
    # B is one vector for all channels, x one number for each of them.
    write = draw.values(hidden.shape[-1]).to(hidden.dtype)
    hidden.add_(draw.values(*hidden.shape[:-1], 1).to(hidden.dtype) * write)
