"""Kimi Delta Attention by hand."""

from __future__ import annotations

import pytest

from ferrum_cli.live.recurrences.kimi_delta_attention import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_each_key_channel_decays_on_its_own() -> None:
    state = zeros(conv_state=(1, 1), delta_state=(1, 1, 2))
    # conv input, key, value, beta, decays
    first = Written(0, [1, 1], 2, 1.0, [1, 1])
    second = Written(0, [0, 0], 0, 1.0, [0.5, 0.25])
    assert after(step, state, first, second)["delta_state"] == pytest.approx([1.0, 0.5])
