"""Gated DeltaNet by hand: one head, two key channels, one value channel."""

from __future__ import annotations

import pytest

from ferrum_cli.live.recurrences.gated_delta_net import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_two_tokens_by_hand() -> None:
    state = zeros(conv_state=(1, 2), delta_state=(1, 1, 2))
    # conv input, key, value, beta, decay
    first = Written(0.5, [1, 0], 2, 0.5, 0.9)
    second = Written(0.25, [1, 0], 4, 1.0, 0.5)
    found = after(step, state, first, second)
    assert found["conv_state"] == [0.5, 0.25]
    # S1 = 0.5·2·[1, 0] = [1, 0]; then S = 0.5·[1, 0], seen 0.5, S += (4 - 0.5)·[1, 0]
    assert found["delta_state"] == pytest.approx([4.0, 0.0])


def test_a_full_write_gate_and_a_unit_key_replace_what_the_key_reads() -> None:
    state = zeros(conv_state=(1, 1), delta_state=(1, 1, 2))
    found = after(step, state, Written(0, [0, 1], 7, 1.0, 1.0), Written(0, [0, 1], -3, 1.0, 1.0))
    assert found["delta_state"] == pytest.approx([0.0, -3.0])
