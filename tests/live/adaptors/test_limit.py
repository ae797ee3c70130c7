"""The cap on bytes."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.adaptors import Failing, Fault, Limited
from ferrum_cli.live.device.simulated import SimulatedDevice


def test_the_cap_itself_fits_and_one_byte_more_does_not() -> None:
    device = Limited(SimulatedDevice(), 1000)
    buffer = device.allocate(600)
    with pytest.raises(OutOfMemory, match=r"401 B more than the 600 B in use exceed"):
        device.allocate(401)
    other = device.allocate(400)
    device.free(buffer)
    device.free(other)
    device.free(device.allocate(1000))
    assert device.used_bytes == 0


def test_a_failure_of_the_device_uses_nothing_of_the_cap() -> None:
    device = Limited(Failing(SimulatedDevice(), Fault("allocate", 1)), 1000)
    with pytest.raises(OutOfMemory):
        device.allocate(1000)
    assert device.used_bytes == 0
    device.allocate(1000)


def test_its_limits_are_the_tighter_ones() -> None:
    assert Limited(SimulatedDevice(), 1000).limits().total_bytes == 1000
    assert Limited(SimulatedDevice(4 * 2**20), 2**40).limits().total_bytes == 4 * 2**20
