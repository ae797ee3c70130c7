"""N-gram context (Qwen4Exp): the last token ids, and a window over the streams.

The ids are 64-bit; the contract says them as pairs of 32-bit words, the low word first. It knows
nothing about the table that the ids look up.
"""

from __future__ import annotations

import torch

from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._mixer import State
from ferrum_cli.live.recurrences._window import push_next


def step(state: State, draw: Draw) -> None:
    """One token."""
    push_next(state["ple_conv_state"], draw)
    push_token(state["ngram_context"], draw.token)


def push_token(ids: torch.Tensor, token: int) -> None:
    """Shift a token id into a row of 64-bit ids, whatever 32-bit type holds them."""
    words = ids.view(-1).view(torch.int32)
    if words.numel():
        words[:-2] = words[2:].clone()
        words[-2], words[-1] = token % 2**31, token >> 32
