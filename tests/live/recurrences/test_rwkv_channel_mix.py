"""RWKV's channel mixing by hand."""

from __future__ import annotations

from ferrum_cli.live.recurrences.rwkv_channel_mix import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_the_last_input_stays() -> None:
    found = after(step, zeros(ffn_shift=(2,)), Written([1, 2]), Written([3, 4]))
    assert found == {"ffn_shift": [3, 4]}
