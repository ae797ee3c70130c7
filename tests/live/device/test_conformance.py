"""What every device does, whichever adaptors stand around it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import torch

from ferrum_cli.errors import CopyFailed, OutOfMemory
from ferrum_cli.live.device import DeviceMemory, Stream
from tests.live.device.devices import DEVICES

SIZE = 3 * 2**20 + 512


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> Iterator[DeviceMemory]:
    made = DEVICES[request.param]()
    yield made
    made.close()


def settle(device: DeviceMemory) -> None:
    device.wait(device.record(Stream.COPIES))


def test_memory_has_the_size_that_was_asked_for(device: DeviceMemory) -> None:
    before = device.stats().requested_bytes
    buffer = device.allocate(SIZE)
    assert buffer.tensor.dtype is torch.uint8
    assert buffer.tensor.shape == (SIZE,)
    assert device.stats().requested_bytes - before == SIZE
    device.free(buffer)
    assert device.stats().requested_bytes == before


def test_two_buffers_share_no_byte(device: DeviceMemory) -> None:
    one, two = device.allocate(SIZE), device.allocate(SIZE)
    for buffer, value in ((one, 1), (two, 2)):
        device.fill(buffer.region(), value, Stream.COMPUTE)
    assert set(one.tensor.tolist()) == {1}
    assert set(two.tensor.tolist()) == {2}
    device.free(one)
    device.free(two)


def test_a_fill_in_the_callers_order_is_there_at_once(device: DeviceMemory) -> None:
    buffer = device.allocate(4096)
    device.fill(buffer.region(), 9, Stream.COMPUTE)
    device.fill(buffer.region(1000, 24), 7, Stream.COMPUTE)
    assert buffer.tensor[999:1025].tolist() == [9, *[7] * 24, 9]
    device.free(buffer)


def test_bytes_go_to_the_host_and_back_unchanged(device: DeviceMemory) -> None:
    buffer, host = device.allocate(SIZE), device.pin(SIZE)
    content = torch.randint(0, 256, (SIZE,), dtype=torch.uint8)
    buffer.tensor.copy_(content)
    device.copy(host.region(), buffer.region(), Stream.COPIES)
    settle(device)
    assert torch.equal(host.tensor, content)
    device.fill(buffer.region(), 0, Stream.COMPUTE)
    device.copy(buffer.region(), host.region(), Stream.COPIES)
    settle(device)
    assert torch.equal(buffer.tensor.cpu(), content)
    device.free(buffer)
    device.unpin(host)


def test_a_stream_works_in_its_order(device: DeviceMemory) -> None:
    buffer, host = device.allocate(4096), device.pin(4096)
    device.fill(buffer.region(), 1, Stream.COMPUTE)
    device.follow(Stream.COPIES, device.record(Stream.COMPUTE))
    # The slot is reused before its copy has been waited for: the copy must have the old bytes.
    device.copy(host.region(), buffer.region(), Stream.COPIES)
    device.fill(buffer.region(), 2, Stream.COPIES)
    settle(device)
    assert set(host.tensor.tolist()) == {1}
    assert set(buffer.tensor.tolist()) == {2}
    device.free(buffer)
    device.unpin(host)


def test_work_after_an_event_of_the_other_stream_sees_its_bytes(device: DeviceMemory) -> None:
    buffer, host = device.allocate(4096), device.pin(4096)
    host.tensor.fill_(5)
    device.copy(buffer.region(), host.region(), Stream.COPIES)
    device.follow(Stream.COMPUTE, device.record(Stream.COPIES))
    device.run(lambda: buffer.tensor.add_(1), [buffer.region()], Stream.COMPUTE)
    assert set(buffer.tensor.tolist()) == {6}
    device.free(buffer)
    device.unpin(host)


def test_an_operation_runs_between_what_was_queued_before_and_after_it(
    device: DeviceMemory,
) -> None:
    buffer = device.allocate(4096)
    region = buffer.region()
    device.fill(region, 3, Stream.COPIES)
    device.run(lambda: buffer.tensor.mul_(2), [region], Stream.COPIES)
    device.run(lambda: buffer.tensor.add_(1), [region], Stream.COPIES)
    settle(device)
    assert set(buffer.tensor.tolist()) == {7}
    device.free(buffer)


def test_an_event_is_reached_by_waiting_with_and_without_a_loop(device: DeviceMemory) -> None:
    buffer = device.allocate(SIZE)

    async def waited() -> bool:
        device.fill(buffer.region(), 1, Stream.COPIES)
        event = device.record(Stream.COPIES)
        await device.arrival(event)
        return device.done(event)

    assert asyncio.run(waited())
    device.fill(buffer.region(), 2, Stream.COPIES)
    event = device.record(Stream.COPIES)
    device.wait(event)
    assert device.done(event)
    assert device.done(device.record(Stream.COMPUTE))
    device.free(buffer)


def test_a_cancelled_wait_cancels_no_work(device: DeviceMemory) -> None:
    buffer = device.allocate(SIZE)

    async def cancelled() -> None:
        device.fill(buffer.region(), 8, Stream.COPIES)
        waiting = asyncio.ensure_future(device.arrival(device.record(Stream.COPIES)))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(cancelled())
    settle(device)
    assert set(buffer.tensor.tolist()) == {8}
    device.free(buffer)


def test_a_copy_of_another_size_is_refused_before_any_byte_moves(device: DeviceMemory) -> None:
    one, two = device.allocate(4096), device.allocate(8192)
    for buffer in (one, two):
        device.fill(buffer.region(), 1, Stream.COMPUTE)
    with pytest.raises(CopyFailed, match="8192 bytes into 4096"):
        device.copy(one.region(), two.region(), Stream.COPIES)
    settle(device)
    assert set(one.tensor.tolist()) == {1}
    device.free(one)
    device.free(two)


def test_more_than_there_is_is_out_of_memory_and_changes_nothing(device: DeviceMemory) -> None:
    before = device.stats().requested_bytes
    with pytest.raises(OutOfMemory) as refusal:
        device.allocate(2**50)
    assert refusal.value.exit_code == 4
    assert device.stats().requested_bytes == before
    buffer = device.allocate(4096)
    device.free(buffer)


def test_a_thousand_cycles_leave_nothing_behind(device: DeviceMemory) -> None:
    before = device.stats().requested_bytes
    for _ in range(1000):
        device.free(device.allocate(4096))
    device.trim()
    assert device.stats().requested_bytes == before


def test_limits_say_what_can_still_be_had(device: DeviceMemory) -> None:
    limits = device.limits()
    assert 0 < limits.free_bytes <= limits.total_bytes
    assert device.where().variant in {"CPU", "CUDA", "ROCm"}
