"""Custom blocks: numbers accumulate, token ids are shifted in."""

from __future__ import annotations

import pytest
import torch

from ferrum_cli.live.recurrences.custom import step
from tests.live.recurrences.by_hand import Written, after, zeros


def test_numbers_decay_and_are_written_to() -> None:
    found = after(step, zeros(anything=(2,)), Written(1, [1, 2]), Written([0.5, 0.1], [1, 1]))
    assert found["anything"] == pytest.approx([1.5, 1.2])


def test_integers_hold_the_last_token_ids() -> None:
    ids = torch.zeros(2, dtype=torch.uint32)
    step({"ids": ids}, Written(token=9))
    assert ids.view(torch.int64).tolist() == [9]
