"""Short convolution by hand."""

from __future__ import annotations

import pytest
import torch

from ferrum_cli.live.recurrences.short_conv import chunk, step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_the_last_inputs_stay_the_newest_at_the_end() -> None:
    draws = [Written([n, -n]) for n in (1, 2, 3)]
    assert after(step, zeros(conv_state=(2, 2)), *draws)["conv_state"] == [2, 3, -2, -3]


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_a_chunk_keeps_what_single_steps_would(count: int) -> None:
    state = {"conv_state": torch.tensor([[7.0, 8.0, 9.0]], dtype=torch.float64)}
    other = {"conv_state": state["conv_state"].clone()}
    chunk(state, [Written(float(n)) for n in range(count)])
    expected = after(step, other, *(Written(float(n)) for n in range(count)))
    assert state["conv_state"].reshape(-1).tolist() == expected["conv_state"]


def test_a_kernel_of_one_keeps_nothing() -> None:
    assert after(step, zeros(conv_state=(2, 0)), Written([1, 2])) == {"conv_state": []}
