"""Compressed convolutional attention by hand."""

from __future__ import annotations

from ferrum_cli.live.recurrences.compressed_convolutional_attention import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_the_window_slides_and_the_half_value_is_the_last() -> None:
    state = zeros(conv_state=(1, 2), value_state=(2,))
    found = after(step, state, Written(1, [5, 6]), Written(2, [7, 8]))
    assert found == {"conv_state": [1, 2], "value_state": [7, 8]}
