"""The host's own memory as a device: mapped and touched, with one worker thread as its copy engine.

Its bytes are counted by a ledger, never by torch: torch.cuda's counters of a CPU build are 0 and
raise nothing. It knows nothing about the simulated allocator; blocks are exactly what was asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import mmap
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import torch

from ferrum_cli.contract import Device
from ferrum_cli.errors import CopyFailed, OutOfMemory
from ferrum_cli.live.device.headroom import available_bytes, resident_bytes, total_bytes
from ferrum_cli.live.device.host_memory import mapped_bytes
from ferrum_cli.live.device.port import (
    Buffer,
    DeviceMemory,
    Event,
    MemoryLimits,
    MemoryStats,
    Region,
    Stream,
)
from ferrum_cli.quantity import format_bytes

_KEPT_BACK_SHARE, _KEPT_BACK_LEAST = 10, 256 * 2**20
_CHECKED_FROM = 2**20


class CpuDevice(DeviceMemory):
    """Memory of this machine. Whoever would take too much is refused before a page is touched."""

    kind = "cpu"

    def __init__(self, available: Callable[[], int] = available_bytes) -> None:
        self._available = available
        self._requested = 0
        self._mapped = 0
        self._worker: ThreadPoolExecutor | None = None
        self._last: Future[None] | None = None
        self._failure: Exception | None = None

    def where(self) -> Device:
        """The host."""
        return Device.cpu()

    def allocate(self, size_bytes: int) -> Buffer:
        """Mapped and touched memory; the driver of a CPU is the kernel."""
        buffer = self._map(size_bytes)
        self._requested += size_bytes
        return buffer

    def free(self, buffer: Buffer) -> None:
        """Unmap it."""
        self._requested -= buffer.size_bytes
        self._unmap(buffer)

    def pin(self, size_bytes: int) -> Buffer:
        """On the host every touched page is as good as pinned."""
        return self._map(size_bytes)

    def unpin(self, buffer: Buffer) -> None:
        """Unmap it."""
        self._unmap(buffer)

    def copy(self, target: Region, source: Region, stream: Stream) -> None:
        """memmove, which lets other threads run; torch's copy_ is slower on one thread."""
        if target.size_bytes != source.size_bytes:
            raise CopyFailed(f"a copy of {source.size_bytes} bytes into {target.size_bytes}")
        self._queue(partial(_move, target.tensor, source.tensor), stream)

    def fill(self, target: Region, value: int, stream: Stream) -> None:
        """memset, more than twice as fast as zero_."""
        self._queue(partial(_set, target.tensor, value), stream)

    def run(
        self, operation: Callable[[], object], writes: Sequence[Region], stream: Stream
    ) -> None:
        """Run it here, or on the worker."""
        del writes  # one worker does one thing after another
        self._queue(operation, stream)

    def record(self, stream: Stream) -> Event:
        """The end of the last piece of work that the worker was given."""
        return Event(self._last if stream is Stream.COPIES else None)

    def follow(self, stream: Stream, event: Event) -> None:
        """The caller's thread has no queue: it waits. The worker is never ahead of it."""
        if stream is Stream.COMPUTE and event.mark is not None:
            event.mark.result()

    def done(self, event: Event) -> bool:
        """Whether the worker has got there."""
        return event.mark is None or bool(event.mark.done())

    def wait(self, event: Event) -> None:
        """Block until the worker has got there."""
        if event.mark is not None:
            event.mark.result()
        self._raise_failure()

    async def arrival(self, event: Event) -> None:
        """Let the event loop run until the worker has got there."""
        if not self.done(event):
            await _bridge(event.mark)
        self._raise_failure()

    def stats(self) -> MemoryStats:
        """The ledger, and what the kernel says is resident."""
        return MemoryStats(
            requested_bytes=self._requested,
            mapped_bytes=self._mapped,
            resident_bytes=resident_bytes(),
        )

    def limits(self) -> MemoryLimits:
        """The machine and its control groups, less what other programs should keep."""
        free = self._available()
        kept_back = max(_KEPT_BACK_LEAST, free // _KEPT_BACK_SHARE)
        return MemoryLimits(total_bytes(), max(0, free - kept_back))

    def trim(self) -> None:
        """Nothing is cached."""

    def close(self) -> None:
        """Finish the queue and end the worker."""
        if self._worker is not None:
            self._worker.shutdown(wait=True)
            self._worker = self._last = None

    def _map(self, size_bytes: int) -> Buffer:
        # Asking the kernel costs 0.1 ms: not for every small tensor.
        if size_bytes >= _CHECKED_FROM and size_bytes > (free := self.limits().free_bytes):
            raise OutOfMemory(
                f"{format_bytes(size_bytes)} do not fit into the {format_bytes(free)}"
                " that this machine can spare",
                hint="use fewer requests or a smaller --budget",
            )
        buffer = Buffer(size_bytes, mapped_bytes(size_bytes))
        self._mapped += _pages(size_bytes)
        return buffer

    def _unmap(self, buffer: Buffer) -> None:
        """The mapping goes with the last view of it, which may be a caller's."""
        self._mapped -= _pages(buffer.size_bytes)
        buffer.tensor = torch.empty(0, dtype=torch.uint8)

    def _queue(self, operation: Callable[[], object], stream: Stream) -> None:
        if stream is Stream.COMPUTE:
            operation()
            return
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="ferrum-copies")
        self._last = self._worker.submit(self._perform, operation)

    def _perform(self, operation: Callable[[], object]) -> None:
        try:
            operation()
        except Exception as error:  # noqa: BLE001 - every failure belongs to whoever waits
            self._failure = self._failure or error

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


def _pages(size_bytes: int) -> int:
    """Bytes of the pages that a mapping of this size has."""
    return -(-size_bytes // mmap.PAGESIZE) * mmap.PAGESIZE


def _move(target: torch.Tensor, source: torch.Tensor) -> None:
    """The tensors, unlike bare addresses, keep their memory until the move is done."""
    ctypes.memmove(target.data_ptr(), source.data_ptr(), target.numel())


def _set(target: torch.Tensor, value: int) -> None:
    ctypes.memset(target.data_ptr(), value, target.numel())


async def _bridge(work: Future[None]) -> None:
    """Wait for a thread's work from the event loop; being cancelled here leaves the work alone."""
    loop = asyncio.get_running_loop()
    reached: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        if not reached.done():
            reached.set_result(None)

    def from_worker(_: Future[None]) -> None:
        # The loop may have been closed by an interrupt; then nobody waits any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(tell)

    work.add_done_callback(from_worker)
    await reached
