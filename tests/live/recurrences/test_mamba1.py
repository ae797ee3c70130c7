"""Mamba by hand, without and with heads."""

from __future__ import annotations

import pytest

from ferrum_cli.live.recurrences.mamba1 import step
from tests.live.recurrences.by_hand import Written, after, zeros


@pytest.mark.parametrize("shape", [(2, 2), (1, 2, 2)])
def test_each_element_decays_and_takes_its_channels_input(shape: tuple[int, ...]) -> None:
    state = zeros(conv_state=(1, 1), ssm_state=shape)
    # conv input, decays, B, x
    first = Written(0, 1, [1, 10], [1, 2])
    second = Written(0, [0.5, 1, 1, 0.1], [1, 1], [0, 1])
    found = after(step, state, first, second)
    assert found["ssm_state"] == pytest.approx([0.5, 10, 3, 3])
