"""RWKV-7 by hand."""

from __future__ import annotations

import pytest

from ferrum_cli.live.recurrences.rwkv7 import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_what_the_removal_key_reads_is_taken_away_at_its_rate() -> None:
    state = zeros(att_shift=(1,), wkv_state=(1, 1, 2))
    # shift input, removal key, rates, decays, value, key
    first = Written(0, [1, 0], [1, 1], [1, 1], 4, [1, 0.5])
    second = Written(0, [1, 0], [0.5, 1], [0.5, 0.5], 1, [0, 1])
    # S1 = [4, 2]; seen 4; S = 0.5·[4, 2] - 4·[0.5·1, 0] + [0, 1]
    assert after(step, state, first, second)["wkv_state"] == pytest.approx([0.0, 2.0])
