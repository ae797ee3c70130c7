"""Devices of the contract."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.contract import Device
from ferrum_cli.errors import ContractError

MAX = 2**64 - 1

# Display, serde JSON, is_gpu and index as contract/types.md and ferrum-types, devices.rs have them.
DEVICES = [
    (Device.cpu(), "cpu", "CPU", False, None),
    (Device.cuda(0), "cuda:0", {"CUDA": 0}, True, 0),
    (Device.cuda(MAX), f"cuda:{MAX}", {"CUDA": MAX}, True, MAX),
    (Device.rocm(1), "rocm:1", {"ROCm": 1}, True, 1),
    (Device.metal(), "metal", "Metal", True, None),
]


@pytest.mark.parametrize(("device", "text", "json", "is_gpu", "index"), DEVICES)
def test_a_device_answers_as_in_rust(
    device: Device, text: str, json: object, is_gpu: bool, index: int | None
) -> None:
    assert str(device) == text
    assert device.to_json() == json
    assert device.is_gpu() is is_gpu
    assert device.index() == index


@given(st.sampled_from([Device.cuda, Device.rocm]), st.integers(0, MAX))
def test_every_numbered_device_survives_json(make: Callable[[int], Device], index: int) -> None:
    assert Device.from_json(make(index).to_json()) == make(index)


@pytest.mark.parametrize("device", [row[0] for row in DEVICES])
def test_equal_devices_are_one_key(device: Device) -> None:
    assert {device: 1}[Device.from_json(device.to_json())] == 1


def test_devices_of_different_kinds_or_numbers_differ() -> None:
    assert len({Device.cuda(0), Device.cuda(1), Device.rocm(0), Device.cpu(), Device.metal()}) == 5


@pytest.mark.parametrize("index", [-1, MAX + 1, 1.0, True, "0", None])
@pytest.mark.parametrize("make", [Device.cuda, Device.rocm])
def test_an_index_that_is_no_usize_is_refused(make: Callable[[int], Device], index: object) -> None:
    with pytest.raises(ContractError, match="expected an integer from 0"):
        make(index)


@pytest.mark.parametrize(
    "bad",
    [
        "cpu",
        "CUDA",
        "cuda:0",
        "ROCm",
        {},
        {"CPU": None},
        {"Metal": 0},
        {"cuda": 0},
        {"CUDA": 0, "ROCm": 1},
        {1: 0},
        None,
        0,
        [],
        ["CUDA", 0],
    ],
)
def test_json_that_is_no_device_is_refused(bad: object) -> None:
    with pytest.raises(ContractError, match=r"^device: expected a Device"):
        Device.from_json(bad, "device")


@pytest.mark.parametrize("bad", [-1, MAX + 1, 0.0, False, "0", None, [0]])
def test_json_with_a_bad_number_names_the_variant_in_the_path(bad: object) -> None:
    with pytest.raises(ContractError, match=r"^device\.CUDA: expected an integer"):
        Device.from_json({"CUDA": bad}, "device")


@pytest.mark.parametrize(("variant", "number"), [("CPU", 0), ("Metal", 1), ("TPU", None), ("", 0)])
def test_a_device_that_rust_cannot_express_cannot_be_made(variant: str, number: int | None) -> None:
    with pytest.raises(ContractError):
        Device(variant, number)
