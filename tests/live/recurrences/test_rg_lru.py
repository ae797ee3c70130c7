"""RG-LRU by hand."""

from __future__ import annotations

import pytest

from ferrum_cli.live.recurrences.rg_lru import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_what_is_forgotten_is_written_anew() -> None:
    state = zeros(conv_state=(1, 1), recurrent_state=(2,))
    # conv input, decays, inputs
    first = Written(0, [0.6, 0.8], [1, 1])
    second = Written(0, [0.6, 0.8], [0, 1])
    found = after(step, state, first, second)
    assert found["recurrent_state"] == pytest.approx([0.6 * 0.8, 0.8 * 0.6 + 0.6])
