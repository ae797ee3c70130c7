"""Faults strike where they are told to, once or from then on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from ferrum_cli.errors import CopyFailed, DeviceLost, OutOfMemory
from ferrum_cli.live.adaptors import Failing, Fault
from ferrum_cli.live.adaptors.failing import lost_at
from ferrum_cli.live.device import Buffer, Stream
from ferrum_cli.live.device.simulated import SimulatedDevice

Call = Callable[[Failing, Buffer, Buffer], object]
CALLS: dict[str, Call] = {
    "allocate": lambda d, _b, _h: d.allocate(8),
    "free": lambda d, _b, _h: d.free(d.inner.allocate(8)),
    "pin": lambda d, _b, _h: d.pin(8),
    "unpin": lambda d, _b, _h: d.unpin(d.inner.pin(8)),
    "copy": lambda d, b, h: d.copy(b.region(), h.region(), Stream.COPIES),
    "fill": lambda d, b, _h: d.fill(b.region(), 1, Stream.COMPUTE),
    "run": lambda d, _b, _h: d.run(lambda: None, [], Stream.COPIES),
    "record": lambda d, _b, _h: d.record(Stream.COPIES),
    "follow": lambda d, _b, _h: d.follow(Stream.COPIES, d.inner.record(Stream.COPIES)),
    "done": lambda d, _b, _h: d.done(d.inner.record(Stream.COPIES)),
    "wait": lambda d, _b, _h: d.wait(d.inner.record(Stream.COPIES)),
    "trim": lambda d, _b, _h: d.trim(),
}


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("sticky", [False, True])
def test_the_second_call_fails_and_later_ones_only_if_it_sticks(
    operation: str, sticky: bool
) -> None:
    device = Failing(SimulatedDevice())
    buffer, host = device.allocate(8), device.pin(8)
    device.arm(Fault(operation, 2, CopyFailed, sticky))
    call = CALLS[operation]
    call(device, buffer, host)
    with pytest.raises(CopyFailed, match=f"injected: {operation} number 2"):
        call(device, buffer, host)
    if sticky:
        with pytest.raises(CopyFailed):
            call(device, buffer, host)
    else:
        call(device, buffer, host)
    assert device.fired == 1 + sticky


def test_a_failure_while_waiting_shows_when_the_work_is_done() -> None:
    device = Failing(SimulatedDevice(), Fault("wait", 1, CopyFailed))
    buffer = device.allocate(8)
    device.fill(buffer.region(), 1, Stream.COPIES)
    event = device.record(Stream.COPIES)
    with pytest.raises(CopyFailed):
        asyncio.run(device.arrival(event))
    assert device.done(event)


def test_a_failed_call_does_not_reach_the_device() -> None:
    inner = SimulatedDevice()
    device = Failing(inner, Fault("allocate", 1, OutOfMemory))
    with pytest.raises(OutOfMemory):
        device.allocate(8)
    assert inner.calls == 0


def test_a_lost_device_fails_every_call_from_the_named_one_on() -> None:
    device = Failing(SimulatedDevice(), lost_at(3))
    device.allocate(8)
    device.record(Stream.COPIES)
    for call in (lambda: device.allocate(8), lambda: device.record(Stream.COPIES)):
        with pytest.raises(DeviceLost):
            call()
    assert device.fired == 2
