"""N-gram context by hand: 64-bit ids in pairs of 32-bit words."""

from __future__ import annotations

import torch

from ferrum_cli.live.recurrences.ngram_context import step
from tests.live.recurrences.by_hand import Written


def test_the_last_ids_are_kept_in_their_order() -> None:
    state = {
        "ple_conv_state": torch.zeros(1, 1),
        "ngram_context": torch.zeros(4, dtype=torch.uint32),
    }
    for token in (11, 22, 33):
        step(state, Written(0.5, token=token))
    assert state["ngram_context"].view(torch.int64).tolist() == [22, 33]
    assert state["ple_conv_state"].tolist() == [[0.5]]


def test_a_context_of_no_ids_stays_empty() -> None:
    state = {"ple_conv_state": torch.zeros(1, 0), "ngram_context": torch.zeros(0).to(torch.uint32)}
    step(state, Written(0.5, token=9))
    assert state["ngram_context"].numel() == 0
