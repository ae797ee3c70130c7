"""RWKV-6 by hand."""

from __future__ import annotations

import pytest

from ferrum_cli.live.recurrences.rwkv6 import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_each_key_channel_decays_on_its_own_and_takes_an_outer_product() -> None:
    state = zeros(att_shift=(1,), wkv_state=(1, 2, 2))
    # shift input, decays, value, key
    first = Written(0.1, [1, 1], [1, 2], [1, 10])
    second = Written(0.2, [0.5, 0.1], [0, 1], [1, 1])
    found = after(step, state, first, second)
    assert found["att_shift"] == pytest.approx([0.2])
    assert found["wkv_state"] == pytest.approx([0.5, 1, 2, 3])
