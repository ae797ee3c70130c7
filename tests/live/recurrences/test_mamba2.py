"""Mamba-2 by hand."""

from __future__ import annotations

import pytest

from ferrum_cli.live.recurrences.mamba2 import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_a_head_decays_as_a_whole_and_takes_an_outer_product() -> None:
    state = zeros(conv_state=(1, 1), ssm_state=(1, 2, 2))
    # conv input, decay, x, B
    first = Written(0, 1, [1, 2], [1, 10])
    second = Written(0, 0.5, [1, 0], [1, 1])
    assert after(step, state, first, second)["ssm_state"] == pytest.approx([1.5, 6, 1, 10])
