"""Stream convolutions have the recurrence of a short convolution, for each stream."""

from __future__ import annotations

from ferrum_cli.live.recurrences.stream_convolution import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_every_stream_has_its_own_inputs() -> None:
    state = zeros(key_conv_state=(1, 2), value_conv_state=(1, 1))
    found = after(step, state, Written(1, 10), Written(2, 20))
    assert found == {"key_conv_state": [1, 2], "value_conv_state": [20]}
