"""RWKV-4 by hand: with a running maximum the stored sums are the true ones times exp(-max)."""

from __future__ import annotations

import math

import pytest

from ferrum_cli.live.recurrences.rwkv4 import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_the_sums_are_the_plain_recurrence_scaled_by_the_maximum() -> None:
    state = zeros(att_shift=(1,), att_num=(1,), att_den=(1,), att_max=(1,))
    # shift input, value, key, decay
    steps = [(0.1, 2.0, 0.5, 0.9), (0.2, -1.0, -0.5, 0.5), (0.3, 1.0, 0.25, 0.75)]
    found = after(step, state, *(Written(*given) for given in steps))
    numerator = denominator = 0.0
    for _, value, key, decay in steps:
        numerator = decay * numerator + math.exp(key) * value
        denominator = decay * denominator + math.exp(key)
    scale = math.exp(-found["att_max"][0])
    assert found["att_shift"] == pytest.approx([0.3])
    assert found["att_num"] == pytest.approx([numerator * scale])
    assert found["att_den"] == pytest.approx([denominator * scale])
