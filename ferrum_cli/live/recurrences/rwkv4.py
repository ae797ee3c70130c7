"""RWKV-4: sums of exp(k)·v and exp(k) that decay, kept in range by a running maximum.

BlinkDL/ChatRWKV `rwkv_pip_package/src/rwkv/model.py`, att_one: aa, bb, pp. It knows nothing about
projections.
"""

from __future__ import annotations

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._mixer import State


def step(state: State, draw: Draw) -> None:
    """One token."""
    shift = state["att_shift"]
    shift.copy_(draw.values(*shift.shape))
    numerator, denominator, maximum = state["att_num"], state["att_den"], state["att_max"]
    shape, dtype = numerator.shape, numerator.dtype
    value, key = draw.values(*shape).to(dtype), draw.values(*shape).to(dtype)
    faded = maximum + draw.decay(*shape).to(dtype).log()
    after = torch.maximum(faded, key)
    keep, write = (faded - after).exp(), (key - after).exp()
    numerator.mul_(keep).add_(write * value)
    denominator.mul_(keep).add_(write)
    maximum.copy_(after)
