"""Double bookkeeping finds what a device would not say."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import MemoryMisuse, OutOfMemory
from ferrum_cli.live.adaptors import Failing, Fault, Tracked
from ferrum_cli.live.device import Stream
from ferrum_cli.live.device.simulated import SimulatedDevice


def test_live_bytes_are_those_allocated_and_not_freed() -> None:
    device = Tracked(SimulatedDevice())
    one, two = device.allocate(100), device.allocate(50)
    host = device.pin(10)
    device.free(one)
    assert (device.live_bytes, device.pinned_bytes, device.peak_bytes) == (50, 10, 150)
    device.free(two)
    device.unpin(host)
    assert (device.live_bytes, device.pinned_bytes) == (0, 0)


def test_a_buffer_freed_twice_is_misuse_and_does_not_underflow() -> None:
    device = Tracked(SimulatedDevice())
    buffer = device.allocate(100)
    device.free(buffer)
    with pytest.raises(MemoryMisuse, match="100 bytes that is not live was freed") as misuse:
        device.free(buffer)
    assert misuse.value.exit_code == 3
    assert device.live_bytes == 0


def test_a_buffer_of_another_device_is_misuse() -> None:
    with pytest.raises(MemoryMisuse, match="not live was unpinned"):
        Tracked(SimulatedDevice()).unpin(SimulatedDevice().pin(8))


def test_a_wrong_size_on_free_is_misuse() -> None:
    device = Tracked(SimulatedDevice())
    buffer = device.allocate(100)
    buffer.size_bytes = 90
    with pytest.raises(MemoryMisuse, match="90 bytes were freed of a buffer of 100"):
        device.free(buffer)


def test_a_copy_of_freed_memory_is_misuse() -> None:
    device = Tracked(SimulatedDevice())
    source, target = device.allocate(8), device.allocate(8)
    region = source.region()
    device.free(source)
    with pytest.raises(MemoryMisuse, match="buffer that is not live"):
        device.copy(target.region(), region, Stream.COPIES)
    with pytest.raises(MemoryMisuse, match="buffer that is not live"):
        device.fill(region, 0, Stream.COMPUTE)


def test_a_failed_allocation_and_a_failed_free_are_booked_as_they_are() -> None:
    failing = Failing(SimulatedDevice(), Fault("allocate", 1))
    device = Tracked(failing)
    with pytest.raises(OutOfMemory):
        device.allocate(100)
    assert device.live_bytes == 0
    buffer = device.allocate(100)
    failing.arm(Fault("free", 1))
    with pytest.raises(OutOfMemory):
        device.free(buffer)
    assert device.live_bytes == 100
