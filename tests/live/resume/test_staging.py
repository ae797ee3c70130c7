"""Host memory that is lent in pieces."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.adaptors import Failing, Fault, Tracked
from ferrum_cli.live.device import Region
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.resume._staging import Staging


def test_it_is_taken_at_once_and_given_back_at_the_end() -> None:
    device = Tracked(SimulatedDevice())
    staging = Staging(device, 4096)
    assert device.pinned_bytes == 4096
    staging.close()
    staging.close()
    assert device.pinned_bytes == 0


def test_pieces_are_lent_until_nothing_is_left() -> None:
    staging = Staging(SimulatedDevice(), 4096)
    one, two = staging.take(1024), staging.take(3072)
    assert staging.take(1) is None
    assert one is not None
    assert two is not None
    assert not one.overlaps(two)
    staging.give(one)
    assert (staging.used_bytes, staging.free_bytes) == (3072, 1024)


def test_neighbours_that_come_back_are_joined() -> None:
    staging = Staging(SimulatedDevice(), 4096)
    pieces = [staging.take(1024) for _ in range(4)]
    for piece in (pieces[2], pieces[0], pieces[1]):
        assert piece is not None
        staging.give(piece)
    assert staging.take(3072) is not None


def test_can_take_answers_for_all_pieces_together_and_takes_none() -> None:
    staging = Staging(SimulatedDevice(), 4096)
    assert staging.can_take([2048, 2048])
    assert not staging.can_take([2048, 2048, 1])
    assert staging.free_bytes == 4096


def test_no_memory_lends_nothing() -> None:
    staging = Staging(SimulatedDevice(), 0)
    assert staging.take(512) is None
    assert staging.can_take([])
    staging.close()


def test_a_host_that_is_out_of_memory_says_so() -> None:
    with pytest.raises(OutOfMemory):
        Staging(Failing(SimulatedDevice(), Fault("pin", 1)), 4096)


@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_pieces_never_overlap_and_all_of_it_comes_back(rng: random.Random, steps: int) -> None:
    staging = Staging(SimulatedDevice(), 64 * 512)
    lent: list[Region] = []
    for _ in range(steps):
        size = 512 * rng.randint(1, 12)
        promised = staging.can_take([size])
        piece = staging.take(size)
        assert promised == (piece is not None)
        if piece is None:
            staging.give(lent.pop(rng.randrange(len(lent))))
        else:
            assert not any(piece.overlaps(other) for other in lent)
            lent.append(piece)
    assert staging.used_bytes == sum(piece.size_bytes for piece in lent)
    for piece in lent:
        staging.give(piece)
    assert staging.take(64 * 512) is not None
