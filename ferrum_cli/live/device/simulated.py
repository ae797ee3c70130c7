"""A device that is not there: the caching allocator's rules, and copies that land late.

Work on the copies stream has no effect until its event is waited for; until then its target is
poison, so that a missing wait shows as wrong bytes. With `backed=False` there are sizes and
addresses alone, and a terabyte costs nothing. It knows nothing about what a real device takes
besides torch's segments, nor about time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from ferrum_cli.contract import Device
from ferrum_cli.errors import CopyFailed, DeviceLost
from ferrum_cli.live.device.caching_allocator import CachingAllocator
from ferrum_cli.live.device.port import (
    Buffer,
    DeviceMemory,
    Event,
    MemoryLimits,
    MemoryStats,
    Region,
    Stream,
)

DEFAULT_TOTAL_BYTES = 80 * 2**30
POISON = 0xA5
"""What the target of a copy holds until the copy lands."""


@dataclass(frozen=True, slots=True)
class _Work:
    """Something queued: what it does, and the one region whose bytes it needs unchanged."""

    operation: Callable[[], object]
    source: Region | None = None


class SimulatedDevice(DeviceMemory):
    """Memory of `total_bytes` under torch's allocator.

    `fail_segments`: ordinal numbers, from 1, of segments that are out of memory.
    `lost_at_call`: the call, from 1, at which the device is lost for good.
    """

    kind = "simulated"

    def __init__(
        self,
        total_bytes: int = DEFAULT_TOTAL_BYTES,
        *,
        backed: bool = True,
        fail_segments: frozenset[int] = frozenset(),
        lost_at_call: int | None = None,
    ) -> None:
        self.backed = backed
        self.allocator = CachingAllocator(total_bytes, fail_segments)
        self.calls = 0
        self.pinned_bytes = 0
        self._lost_at_call = lost_at_call
        self._lost = False
        self._queue: deque[_Work] = deque()
        self._landed = 0
        self._failure: Exception | None = None

    def where(self) -> Device:
        """It stands in for the first CUDA device."""
        return Device.cuda(0)

    def allocate(self, size_bytes: int) -> Buffer:
        """A block of the simulated allocator."""
        self._call()
        block = self.allocator.allocate(size_bytes)
        return Buffer(size_bytes, self._bytes(size_bytes), block)

    def free(self, buffer: Buffer) -> None:
        """Back to the simulated cache; the segment stays reserved."""
        self._call()
        self.allocator.free(buffer.key)
        buffer.tensor, buffer.key = torch.empty(0, dtype=torch.uint8), None

    def pin(self, size_bytes: int) -> Buffer:
        """Host memory of exactly this size."""
        self._call()
        self.pinned_bytes += size_bytes
        return Buffer(size_bytes, self._bytes(size_bytes), "host")

    def unpin(self, buffer: Buffer) -> None:
        """Give host memory back."""
        self._call()
        self.pinned_bytes -= buffer.size_bytes
        buffer.tensor, buffer.key = torch.empty(0, dtype=torch.uint8), None

    def copy(self, target: Region, source: Region, stream: Stream) -> None:
        """Queue a copy; on the copies stream the target is poison until it lands."""
        self._call()
        if target.size_bytes != source.size_bytes:
            raise CopyFailed(f"a copy of {source.size_bytes} bytes into {target.size_bytes}")
        self._queue_write(_Work(lambda: target.tensor.copy_(source.tensor), source), target, stream)

    def fill(self, target: Region, value: int, stream: Stream) -> None:
        """Queue a fill; on the copies stream the target is poison until it lands."""
        self._call()
        self._queue_write(_Work(lambda: target.tensor.fill_(value)), target, stream)

    def run(
        self, operation: Callable[[], object], writes: Sequence[Region], stream: Stream
    ) -> None:
        """Queue an operation; it needs its inputs, so that its targets are stale, not poison."""
        self._call()
        for region in writes:
            self._land_readers_of(region)
        if stream is Stream.COMPUTE:
            self._perform(_Work(operation))
            self._raise_failure()
        else:
            self._queue.append(_Work(operation))

    def record(self, stream: Stream) -> Event:
        """Reached once everything queued so far has landed."""
        self._call()
        queued = self._landed + len(self._queue) if stream is Stream.COPIES else 0
        return Event(queued)

    def follow(self, stream: Stream, event: Event) -> None:
        """What comes after an event can only see its work landed."""
        self._call()
        if stream is Stream.COMPUTE:
            self._land(event)

    def done(self, event: Event) -> bool:
        """Whether the work has landed; asking does not land it."""
        self._call()
        return bool(event.mark <= self._landed)

    def wait(self, event: Event) -> None:
        """Land everything queued before the event."""
        self._call()
        self._land(event)
        self._raise_failure()

    async def arrival(self, event: Event) -> None:
        """Give way to other tasks once, as a device would, then land."""
        await asyncio.sleep(0)
        self.wait(event)

    def stats(self) -> MemoryStats:
        """The simulated allocator's figures."""
        allocator = self.allocator
        return MemoryStats(
            requested_bytes=allocator.requested_bytes,
            allocated_bytes=allocator.allocated_bytes,
            reserved_bytes=allocator.reserved_bytes,
            segments=len(allocator.segments),
        )

    def limits(self) -> MemoryLimits:
        """All memory that no segment has taken is free."""
        total = self.allocator.limit_bytes
        return MemoryLimits(total, total - self.allocator.reserved_bytes)

    def trim(self) -> None:
        """empty_cache."""
        self._call()
        self.allocator.empty_cache()

    def close(self) -> None:
        """Forget what is queued."""
        self._queue.clear()

    def _call(self) -> None:
        self.calls += 1
        if self.calls == self._lost_at_call:
            self._lost = True
        if self._lost:
            raise DeviceLost("the simulated device is lost", hint="restart the process")

    def _bytes(self, size_bytes: int) -> torch.Tensor:
        if not self.backed:
            return torch.empty(size_bytes, dtype=torch.uint8, device="meta")
        # Arbitrary bytes on purpose: whoever relies on zeros from the allocator must fail.
        return torch.full((size_bytes,), POISON, dtype=torch.uint8)

    def _queue_write(self, work: _Work, target: Region, stream: Stream) -> None:
        if stream is Stream.COMPUTE:
            self._perform(work)
            return
        self._land_readers_of(target)
        target.tensor.fill_(POISON)
        self._queue.append(work)

    def _land_readers_of(self, target: Region) -> None:
        """Order within the stream: queued work that reads `target` has read it before a write."""
        readers = [
            place
            for place, work in enumerate(self._queue)
            if work.source is not None and work.source.overlaps(target)
        ]
        if readers:
            self._land(Event(self._landed + readers[-1] + 1))

    def _land(self, event: Event) -> None:
        while self._landed < event.mark and self._queue:
            self._perform(self._queue.popleft())
            self._landed += 1

    def _perform(self, work: _Work) -> None:
        try:
            if self.backed:
                work.operation()
        except Exception as error:  # noqa: BLE001 - every failure belongs to whoever waits
            self._failure = self._failure or error

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
