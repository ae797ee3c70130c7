"""The exact recurrence: any split, any layout, any device, the same bytes."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.live.device.cpu import CpuDevice
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import Storage, layouts, open_storage
from ferrum_cli.live.recurrences.exact import Exact, fold
from tests.live.specs import CONV_AND_DELTA, EVERY_DTYPE, ODD, Tensors

SPECS = {"conv and delta": CONV_AND_DELTA, "every dtype": EVERY_DTYPE, "odd sizes": ODD}


def zeroed(tensors: Tensors, layout: str = "arena", device: type = SimulatedDevice) -> Storage:
    storage = open_storage(layout, device(), tensors, 2)
    storage.take(2)
    storage.zero((0, 1))
    return storage


def content(storage: Storage, slot: int) -> list[list[int]]:
    count = len(storage.layout.tensors)
    flat = (storage.tensor(slot, index).reshape(-1) for index in range(count))
    return [tensor.view(torch.uint8).tolist() for tensor in flat]


@pytest.mark.parametrize("tensors", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("layout", layouts())
def test_bytes_do_not_depend_on_layout_or_device(layout: str, tensors: Tensors) -> None:
    tokens = [5, 0, 49_999, 5]
    reference = zeroed(tensors)
    Exact(reference.layout).advance(reference, (0, 1), tokens, 0)
    for device in (SimulatedDevice, CpuDevice):
        storage = zeroed(tensors, layout, device)
        exact = Exact(storage.layout)
        exact.advance(storage, (0, 1), tokens, 0)
        assert content(storage, 0) == content(reference, 0)
        assert content(storage, 1) == content(reference, 1)
        assert exact.mismatch(storage, (0, 1), tokens) is None


@given(st.lists(st.integers(0, 200_000), max_size=30), st.data())
def test_any_split_of_the_tokens_gives_the_same_state(
    tokens: list[int], data: st.DataObject
) -> None:
    storage = zeroed(CONV_AND_DELTA)
    exact = Exact(storage.layout)
    start = 0
    while start < len(tokens):
        size = data.draw(st.integers(1, len(tokens) - start))
        exact.advance(storage, (0,), tokens[start : start + size], start)
        start += size
    assert exact.mismatch(storage, (0,), tokens) is None


def test_no_tokens_leave_zeros() -> None:
    storage = zeroed(CONV_AND_DELTA)
    exact = Exact(storage.layout)
    exact.advance(storage, (0,), [], 0)
    assert exact.mismatch(storage, (0,), []) is None
    assert not any(any(tensor) for tensor in content(storage, 0))


# tokens that were fed, and what is claimed instead
WRONG = [
    ("another token", [1, 2, 3], [1, 2, 4]),
    ("reversed", [1, 2, 3], [3, 2, 1]),
    ("the last one dropped", [1, 2, 3], [1, 2]),
    ("one more", [1, 2, 3], [1, 2, 3, 0]),
    ("none", [1], []),
]


@pytest.mark.parametrize(("what", "fed", "claimed"), WRONG)
def test_another_history_is_found_out(what: str, fed: list[int], claimed: list[int]) -> None:
    del what  # it names the case
    storage = zeroed(CONV_AND_DELTA)
    exact = Exact(storage.layout)
    exact.advance(storage, (0,), fed, 0)
    assert "words differ" in (exact.mismatch(storage, (0,), claimed) or "")


def test_a_single_flipped_bit_and_two_swapped_tensors_are_found_out() -> None:
    storage = zeroed(CONV_AND_DELTA)
    exact = Exact(storage.layout)
    exact.advance(storage, (0,), [7, 8], 0)
    one, two = storage.tensor(0, 1), storage.tensor(0, 3)
    one.view(torch.int32)[0, 0, 0] ^= 1
    assert exact.mismatch(storage, (0,), [7, 8]) == "slot 0: 1 of 96 words differ"
    one.view(torch.int32)[0, 0, 0] ^= 1
    kept = one.clone()
    one.copy_(two)
    two.copy_(kept)
    assert exact.mismatch(storage, (0,), [7, 8]) is not None


def test_each_slot_of_a_request_has_a_state_of_its_own() -> None:
    storage = zeroed(CONV_AND_DELTA)
    exact = Exact(storage.layout)
    exact.advance(storage, (0, 1), [4], 0)
    assert content(storage, 0) != content(storage, 1)
    assert exact.mismatch(storage, (1, 0), [4]) is not None


@given(st.lists(st.integers(0, 200_000), max_size=20), st.integers(0, 20))
def test_folding_is_associative(tokens: list[int], cut: int) -> None:
    cut = min(cut, len(tokens))
    factor = pow(0x9E3779B1, len(tokens) - cut, 2**32)
    head, tail = fold(tokens[:cut], 0, 3), fold(tokens[cut:], cut, 3)
    assert fold(tokens, 0, 3) == (head * factor + tail) % 2**32
