"""What every layout of slots does, on every device."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from ferrum_cli.errors import OutOfMemory, UsageError
from ferrum_cli.live.adaptors import Failing, Fault, Tracked
from ferrum_cli.live.device import DeviceMemory, Stream
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import Storage, layouts, open_storage
from tests.live.device.devices import BARE
from tests.live.specs import CONV_AND_DELTA, EVERY_DTYPE, ODD, Tensors

SPECS = {"conv and delta": CONV_AND_DELTA, "every dtype": EVERY_DTYPE, "odd sizes": ODD}


@pytest.fixture(params=BARE)
def device(request: pytest.FixtureRequest) -> Iterator[Tracked]:
    made = Tracked(BARE[request.param]())
    yield made
    assert made.live_bytes == 0
    made.close()


@pytest.fixture(params=layouts())
def layout(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=SPECS)
def tensors(request: pytest.FixtureRequest) -> Tensors:
    return SPECS[request.param]


@pytest.fixture
def storage(device: DeviceMemory, layout: str, tensors: Tensors) -> Iterator[Storage]:
    made = open_storage(layout, device, tensors, 4)
    yield made
    made.close()


def byte_set(tensor: torch.Tensor) -> set[int]:
    return set(tensor.contiguous().view(-1).view(torch.uint8).tolist())


def test_slots_are_taken_and_given_back(storage: Storage) -> None:
    taken = storage.take(1) + storage.take(3)
    assert sorted(taken) == [0, 1, 2, 3]
    assert not storage.free
    storage.give(taken)
    assert sorted(storage.free) == [(0,), (1,), (2,), (3,)]


def test_every_tensor_has_its_shape_and_dtype(storage: Storage) -> None:
    [slot] = storage.take(1)
    for index, spec in enumerate(storage.layout.tensors):
        tensor = storage.tensor(slot, index)
        assert tensor.shape == spec.shape
        assert tensor.element_size() == spec.dtype.size_bytes()
        assert tensor.is_contiguous()


def test_a_slot_is_zeroed_whole_and_alone(storage: Storage) -> None:
    one, two = storage.take(2)
    for slot in (one, two):
        for piece in storage.pieces(slot):
            storage.device.fill(piece.region, 7, Stream.COMPUTE)
    storage.zero([one])
    for index, spec in enumerate(storage.layout.tensors):
        if spec.num_elements():
            assert byte_set(storage.tensor(one, index)) == {0}
            assert byte_set(storage.tensor(two, index)) == {7}


def test_views_are_the_tensors_all_of_them(storage: Storage) -> None:
    [slot] = storage.take(1)
    storage.zero([slot])
    for view in storage.views(slot):
        view.view(-1).view(torch.uint8).fill_(3)
    for index, spec in enumerate(storage.layout.tensors):
        if spec.num_elements():
            assert byte_set(storage.tensor(slot, index)) == {3}


def test_pieces_are_the_packed_slot_in_order(storage: Storage) -> None:
    slots = storage.take(4)
    for slot in slots:
        storage.zero([slot])
        for number in range(len(storage.layout.tensors)):
            flat = storage.tensor(slot, number).view(-1)
            flat.view(torch.uint8).fill_(16 * slot + number)
        packed = torch.zeros(storage.layout.stride_bytes, dtype=torch.uint8)
        for piece in storage.pieces(slot):
            packed[piece.offset : piece.offset + piece.region.size_bytes] = piece.region.tensor
        places = zip(storage.layout.offsets, storage.layout.sizes, strict=True)
        for number, (offset, size) in enumerate(places):
            assert set(packed[offset : offset + size].tolist()) <= {16 * slot + number}


def test_no_two_slots_share_a_byte(storage: Storage) -> None:
    regions = [piece.region for slot in storage.take(4) for piece in storage.pieces(slot)]
    for number, region in enumerate(regions):
        assert not any(region.overlaps(other) for other in regions[number + 1 :])


@pytest.mark.parametrize("sticky", [False, True])
def test_out_of_memory_at_any_allocation_keeps_nothing(layout: str, sticky: bool) -> None:
    nth = 1
    while True:
        device = Tracked(SimulatedDevice())
        failing = Failing(device, Fault("allocate", nth, OutOfMemory, sticky))
        try:
            storage = open_storage(layout, failing, CONV_AND_DELTA, 3)
            opened = device.live_bytes
            try:
                storage.take(2)
            except OutOfMemory:
                assert len(storage.free) == 3
                assert device.live_bytes == opened
                raise
        except OutOfMemory:
            assert layout == "per-tensor" or device.live_bytes == 0
            nth += 1
            continue
        break
    # One for the arena, one for each of 6 tensors, one for each tensor of 2 slots.
    assert nth - 1 == {"arena": 1, "layer-major": 6, "per-tensor": 12}[layout]


def test_the_tensor_at_which_memory_ran_out_is_named() -> None:
    device = Failing(SimulatedDevice(), Fault("allocate", 4))
    storage = open_storage("per-tensor", device, CONV_AND_DELTA, 1)
    with pytest.raises(OutOfMemory, match="tensor 4 of 6: injected"):
        storage.take(1)


def test_an_unknown_layout_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(
        UsageError, match=r"--layout: unknown layout 'arenas'; did you mean 'arena'"
    ):
        open_storage("arenas", SimulatedDevice(), CONV_AND_DELTA, 1)


def test_a_size_beyond_all_devices_is_out_of_memory() -> None:
    with pytest.raises(OutOfMemory, match="fit no device"):
        open_storage("arena", SimulatedDevice(), CONV_AND_DELTA, 2**60)
