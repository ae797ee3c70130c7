"""What the host's memory does beyond the conformance suite: real pages, refused beforehand."""

from __future__ import annotations

import threading
import time

import pytest

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.device import Stream
from ferrum_cli.live.device.cpu import CpuDevice
from ferrum_cli.live.device.headroom import resident_bytes

MIB = 2**20


def resident() -> int:
    found = resident_bytes()
    assert found is not None
    return found


def test_every_page_is_touched_and_returned() -> None:
    device = CpuDevice()
    before = resident()
    buffer = device.allocate(128 * MIB)
    slack = 2 * MIB  # batched counters of the kernel, and the interpreter's own
    assert abs(resident() - before - 128 * MIB) <= slack
    device.free(buffer)
    assert abs(resident() - before) <= slack


def test_no_cuda_counter_stands_for_the_hosts_memory() -> None:
    device = CpuDevice()
    buffer = device.allocate(4 * MIB)
    stats = device.stats()
    assert (stats.requested_bytes, stats.allocated_bytes, stats.reserved_bytes) == (
        4 * MIB,
        None,
        None,
    )
    device.free(buffer)


def test_what_the_machine_cannot_spare_is_refused_before_a_page_is_touched() -> None:
    device = CpuDevice(available=lambda: 300 * MIB)
    # 256 MiB are kept back for other programs.
    assert device.limits().free_bytes == 44 * MIB
    with pytest.raises(OutOfMemory, match=r"45.00 MiB do not fit into the 44.00 MiB"):
        device.allocate(45 * MIB)
    device.free(device.allocate(44 * MIB))


def test_a_tenth_is_kept_back_of_a_large_machine() -> None:
    assert CpuDevice(available=lambda: 100 * 2**30).limits().free_bytes == 90 * 2**30


def test_copies_run_beside_the_caller() -> None:
    device = CpuDevice()
    buffer = device.allocate(4096)
    gate = threading.Event()
    device.run(gate.wait, [buffer.region()], Stream.COPIES)
    event = device.record(Stream.COPIES)
    assert not device.done(event)
    gate.set()
    device.wait(event)
    assert device.done(event)
    device.close()


def test_memory_freed_under_a_queued_copy_stays_mapped_until_the_copy_is_done() -> None:
    device = CpuDevice()
    source, target = device.allocate(MIB), device.allocate(MIB)
    device.fill(source.region(), 4, Stream.COMPUTE)
    device.run(lambda: time.sleep(0.02), [], Stream.COPIES)
    kept = target.tensor
    device.copy(target.region(), source.region(), Stream.COPIES)
    device.free(source)
    device.close()
    assert set(kept.tolist()) == {4}
