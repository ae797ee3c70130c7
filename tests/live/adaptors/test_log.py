"""A log says what was asked, and a replay asks it again."""

from __future__ import annotations

import json

import pytest

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.adaptors import Failing, Fault, Logged, Tracked, replay
from ferrum_cli.live.device import DeviceMemory, Stream
from ferrum_cli.live.device.cpu import CpuDevice
from ferrum_cli.live.device.simulated import SimulatedDevice

MIB = 2**20


def scenario(device: DeviceMemory) -> None:
    """Every logged operation once; one device buffer and one host buffer are live at the end."""
    first, second = device.allocate(3 * MIB), device.allocate(MIB)
    host, gone = device.pin(MIB), device.pin(MIB)
    device.fill(second.region(), 6, Stream.COMPUTE)
    device.copy(host.region(), second.region(), Stream.COPIES)
    device.wait(device.record(Stream.COPIES))
    device.free(first)
    device.unpin(gone)


def log_of(inner: DeviceMemory) -> list[str]:
    lines: list[str] = []
    scenario(Logged(inner, lines.append))
    return lines


def test_each_call_is_one_line_of_json() -> None:
    entries = [json.loads(line) for line in log_of(SimulatedDevice())]
    assert entries == [
        {"op": "allocate", "buffer": 0, "bytes": 3 * MIB},
        {"op": "allocate", "buffer": 1, "bytes": MIB},
        {"op": "pin", "buffer": 2, "bytes": MIB},
        {"op": "pin", "buffer": 3, "bytes": MIB},
        {"op": "fill", "to": [1, 0, MIB], "value": 6, "stream": "compute"},
        {"op": "copy", "to": [2, 0, MIB], "of": [1, 0, MIB], "stream": "copies"},
        {"op": "free", "buffer": 0},
        {"op": "unpin", "buffer": 3},
    ]


@pytest.mark.parametrize("other", [SimulatedDevice, CpuDevice])
def test_a_replay_on_another_device_ends_with_the_same_buffers_and_bytes(
    other: type[SimulatedDevice | CpuDevice],
) -> None:
    device = Tracked(other())
    buffers = replay(log_of(SimulatedDevice()), device)
    assert {number: buffer.size_bytes for number, buffer in buffers.items()} == {1: MIB, 2: MIB}
    assert (device.live_bytes, device.pinned_bytes) == (MIB, MIB)
    assert set(buffers[2].tensor.tolist()) == {6}
    device.close()


def test_a_replay_takes_the_same_segments() -> None:
    original = SimulatedDevice()
    lines = log_of(original)
    again = SimulatedDevice()
    replay(lines, again)
    assert again.stats() == original.stats()


def test_a_replay_on_a_smaller_device_runs_out_of_memory() -> None:
    with pytest.raises(OutOfMemory):
        replay(log_of(SimulatedDevice()), SimulatedDevice(2 * MIB))


def test_what_failed_is_not_logged() -> None:
    lines: list[str] = []
    device = Logged(Failing(SimulatedDevice(), Fault("allocate", 1)), lines.append)
    with pytest.raises(OutOfMemory):
        device.allocate(8)
    assert lines == []
