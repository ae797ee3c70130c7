"""mLSTM by hand: with a running maximum the stored state is the true one times exp(-m)."""

from __future__ import annotations

import math

import pytest

from ferrum_cli.live.recurrences.mlstm import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_the_state_is_the_plain_recurrence_scaled_by_the_maximum() -> None:
    state = zeros(c_state=(1, 1, 1), n_state=(1, 1), m_state=(1, 1))
    # key, value, forget gate, logarithm of the input gate
    steps = [(1.0, 2.0, 0.5, 1.0), (0.5, -1.0, 0.9, -0.5), (1.0, 1.0, 0.25, 0.75)]
    found = after(step, state, *(Written(*given) for given in steps))
    matrix = normaliser = 0.0
    for key, value, forget, log_input in steps:
        matrix = forget * matrix + math.exp(log_input) * value * key
        normaliser = forget * normaliser + math.exp(log_input) * key
    scale = math.exp(-found["m_state"][0])
    assert found["c_state"] == pytest.approx([matrix * scale])
    assert found["n_state"] == pytest.approx([normaliser * scale])
