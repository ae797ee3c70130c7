"""Lightning attention by hand."""

from __future__ import annotations

import pytest

from ferrum_cli.live.recurrences.lightning_attention import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_writes_add_up_under_the_heads_own_decay() -> None:
    state = zeros(attention_state=(2, 1, 1))
    # key and value for both heads; the heads decay by 1 - 1/32 and 1 - 1/64
    found = after(step, state, Written([1, 1], [1, 1]), Written([1, 1], [2, 2]))
    assert found["attention_state"] == pytest.approx([31 / 32 + 2, 63 / 64 + 2])
