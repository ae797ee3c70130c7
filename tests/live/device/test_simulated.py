"""What the simulated device does beyond the conformance suite: lateness, poison and loss."""

from __future__ import annotations

import pytest
import torch

from ferrum_cli.errors import DeviceLost, OutOfMemory
from ferrum_cli.live.device import Region, Stream
from ferrum_cli.live.device.simulated import POISON, SimulatedDevice


def filled(device: SimulatedDevice, value: int, size: int = 1024) -> Region:
    region = device.allocate(size).region()
    device.fill(region, value, Stream.COMPUTE)
    return region


def content(region: Region) -> set[int]:
    return set(region.tensor.tolist())


def test_fresh_memory_is_not_zero() -> None:
    assert content(SimulatedDevice().allocate(64).region()) == {POISON}


def test_the_target_of_a_copy_is_poison_until_its_event_is_waited_for() -> None:
    device = SimulatedDevice()
    source, target = filled(device, 1), filled(device, 2)
    device.copy(target, source, Stream.COPIES)
    event = device.record(Stream.COPIES)
    assert content(target) == {POISON}
    assert not device.done(event)
    assert content(target) == {POISON}
    device.wait(event)
    assert content(target) == {1}


def test_an_event_lands_only_what_was_queued_before_it() -> None:
    device = SimulatedDevice()
    first, second = filled(device, 0), filled(device, 0)
    device.fill(first, 1, Stream.COPIES)
    event = device.record(Stream.COPIES)
    device.fill(second, 2, Stream.COPIES)
    device.wait(event)
    assert (content(first), content(second)) == ({1}, {POISON})


def test_reusing_the_source_in_the_callers_order_without_an_event_corrupts_the_copy() -> None:
    device = SimulatedDevice()
    source, target = filled(device, 1), filled(device, 2)
    device.copy(target, source, Stream.COPIES)
    device.fill(source, 9, Stream.COMPUTE)
    device.wait(device.record(Stream.COPIES))
    assert content(target) == {9}


def test_following_the_copy_keeps_it_whole() -> None:
    device = SimulatedDevice()
    source, target = filled(device, 1), filled(device, 2)
    device.copy(target, source, Stream.COPIES)
    device.follow(Stream.COMPUTE, device.record(Stream.COPIES))
    device.fill(source, 9, Stream.COMPUTE)
    assert content(target) == {1}


def test_a_failure_of_queued_work_is_raised_by_the_wait_and_once() -> None:
    device = SimulatedDevice()
    region = filled(device, 1)

    def break_down() -> None:
        raise OutOfMemory("no scratch")

    device.run(break_down, [region], Stream.COPIES)
    event = device.record(Stream.COPIES)
    with pytest.raises(OutOfMemory, match="no scratch"):
        device.wait(event)
    device.wait(event)


def test_the_device_is_lost_at_the_named_call_and_stays_lost() -> None:
    device = SimulatedDevice(lost_at_call=2)
    buffer = device.allocate(64)
    for _ in range(3):
        with pytest.raises(DeviceLost):
            device.free(buffer)
    assert device.stats().requested_bytes == 64


def test_memory_is_out_at_the_named_segment() -> None:
    device = SimulatedDevice(fail_segments=frozenset({2}))
    device.allocate(12 * 2**20)
    with pytest.raises(OutOfMemory):
        device.allocate(12 * 2**20)
    device.allocate(12 * 2**20)
    assert device.stats().segments == 2


def test_without_memory_behind_it_sizes_are_real_and_a_terabyte_is_free() -> None:
    device = SimulatedDevice(2**41, backed=False)
    buffer, host = device.allocate(2**40), device.pin(2**40)
    device.fill(buffer.region(), 0, Stream.COMPUTE)
    device.copy(host.region(), buffer.region(), Stream.COPIES)
    device.wait(device.record(Stream.COPIES))
    assert buffer.tensor.device == torch.device("meta")
    assert device.stats().reserved_bytes == 2**40
    assert device.pinned_bytes == 2**40


def test_freed_segments_stay_reserved_until_the_cache_is_trimmed() -> None:
    device = SimulatedDevice()
    device.free(device.allocate(12 * 2**20))
    assert device.stats().reserved_bytes == 12 * 2**20
    device.trim()
    assert device.stats().reserved_bytes == 0
