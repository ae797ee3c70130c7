"""An NVIDIA or AMD device through torch; ROCm answers to the same names.

Its logic is exercised through the simulated device; on a real GPU it has not yet been run. It knows
nothing about slots. It needs torch's native allocator, for only that counts requested bytes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from ferrum_cli.contract import Device
from ferrum_cli.errors import CopyFailed, DeviceLost, EnvironmentFailure, OutOfMemory
from ferrum_cli.live.device.headroom import available_bytes
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


class CudaDevice(DeviceMemory):
    """Device `index` of this process. Raises EnvironmentFailure where there is none."""

    kind = "cuda"

    def __init__(self, index: int = 0) -> None:
        _check_present(index)
        self.index = index
        self._device = torch.device("cuda", index)
        self._copies = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]

    def where(self) -> Device:
        """The contract's name, by the vendor whose torch this is."""
        return Device.rocm(self.index) if torch.version.hip else Device.cuda(self.index)

    def allocate(self, size_bytes: int) -> Buffer:
        """A block of torch's caching allocator."""
        with _translated("allocating"):
            return Buffer(
                size_bytes, torch.empty(size_bytes, dtype=torch.uint8, device=self._device)
            )

    def free(self, buffer: Buffer) -> None:
        """Drop the buffer's tensor. A view that somebody keeps keeps the block."""
        with _translated("freeing"):
            buffer.tensor = torch.empty(0, dtype=torch.uint8)

    def pin(self, size_bytes: int) -> Buffer:
        """Memory of our own, registered: torch's `pin_memory` rounds up to a power of two."""
        free = available_bytes()
        if size_bytes > free:
            raise OutOfMemory(
                f"{format_bytes(size_bytes)} of host memory do not fit into {format_bytes(free)}",
                hint="use a smaller host budget",
            )
        tensor = mapped_bytes(size_bytes)
        with _translated("pinning"):
            code = _runtime().cudaHostRegister(tensor.data_ptr(), size_bytes, 0)
        if int(code) != 0:
            raise OutOfMemory(
                f"the driver pins no {format_bytes(size_bytes)} (cudaHostRegister: {code})",
                hint="raise 'ulimit -l' or use a smaller host budget",
            )
        return Buffer(size_bytes, tensor, "host")

    def unpin(self, buffer: Buffer) -> None:
        """Unregister first: the driver must not keep addresses of memory that is gone."""
        with _translated("unpinning"):
            _runtime().cudaHostUnregister(buffer.tensor.data_ptr())
        buffer.tensor = torch.empty(0, dtype=torch.uint8)

    def copy(self, target: Region, source: Region, stream: Stream) -> None:
        """One cudaMemcpyAsync; with pinned host memory it returns before the bytes are there."""
        if target.size_bytes != source.size_bytes:
            raise CopyFailed(f"a copy of {source.size_bytes} bytes into {target.size_bytes}")
        with _translated("copying"), self._on(stream):
            target.tensor.copy_(source.tensor, non_blocking=True)

    def fill(self, target: Region, value: int, stream: Stream) -> None:
        """One memset or fill kernel."""
        with _translated("filling"), self._on(stream):
            target.tensor.fill_(value)

    def run(
        self, operation: Callable[[], object], writes: Sequence[Region], stream: Stream
    ) -> None:
        """Launch the operation's kernels on the stream."""
        del writes
        with _translated("computing"), self._on(stream):
            operation()

    def record(self, stream: Stream) -> Event:
        """A CUDA event."""
        with _translated("recording an event"):
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record(self._stream(stream))
        return Event(event)

    def follow(self, stream: Stream, event: Event) -> None:
        """Let the stream wait on the device (cudaStreamWaitEvent)."""
        with _translated("ordering streams"):
            self._stream(stream).wait_event(event.mark)

    def done(self, event: Event) -> bool:
        """Ask without waiting (cudaEventQuery)."""
        with _translated("asking for an event"):
            return bool(event.mark.query())

    def wait(self, event: Event) -> None:
        """Block on the event; asynchronous failures of the device show here."""
        with _translated("waiting for an event"):
            event.mark.synchronize()

    async def arrival(self, event: Event) -> None:
        """Wait in a thread; torch lets go of the interpreter meanwhile."""
        if not self.done(event):
            await asyncio.get_running_loop().run_in_executor(None, self.wait, event)

    def stats(self) -> MemoryStats:
        """Of this process, from torch's native allocator."""
        found = torch.cuda.memory_stats(self._device)
        return MemoryStats(
            requested_bytes=found.get("requested_bytes.all.current", 0),
            allocated_bytes=found.get("allocated_bytes.all.current", 0),
            reserved_bytes=found.get("reserved_bytes.all.current", 0),
            segments=found.get("segment.all.current", 0),
        )

    def limits(self) -> MemoryLimits:
        """The driver's figures, all processes and this one's context included."""
        with _translated("asking for free memory"):
            free, total = torch.cuda.mem_get_info(self._device)
        # What torch has cached is free to us, though the driver counts it as taken.
        cached = torch.cuda.memory_reserved(self._device) - torch.cuda.memory_allocated(
            self._device
        )
        return MemoryLimits(total, free + cached)

    def trim(self) -> None:
        """empty_cache."""
        with _translated("emptying the cache"):
            torch.cuda.empty_cache()

    def close(self) -> None:
        """Finish the copies."""
        with _translated("finishing copies"):
            self._copies.synchronize()

    def _stream(self, stream: Stream) -> torch.cuda.Stream:
        if stream is Stream.COPIES:
            return self._copies
        return torch.cuda.current_stream(self._device)

    def _on(self, stream: Stream) -> torch.cuda.StreamContext:
        return torch.cuda.stream(self._stream(stream))


def _check_present(index: int) -> None:
    """A CPU build of torch answers 0 to every question about CUDA; so it is asked this first."""
    if not torch.cuda.is_available():
        build = "was built for CPUs only" if torch.version.cuda is None else "finds no GPU"
        raise EnvironmentFailure(
            f"there is no CUDA device: torch {torch.__version__} {build}",
            hint="use --device cpu or --device simulated",
            where="--device",
        )
    if index >= torch.cuda.device_count():
        raise EnvironmentFailure(
            f"there is no cuda:{index}: this machine has {torch.cuda.device_count()}",
            hint="use cuda:0",
            where="--device",
        )
    if torch.cuda.get_allocator_backend() != "native":
        raise EnvironmentFailure(
            f"torch's allocator is {torch.cuda.get_allocator_backend()!r}, which counts no bytes",
            hint="unset PYTORCH_ALLOC_CONF and PYTORCH_CUDA_ALLOC_CONF",
        )


def _runtime() -> Any:
    return torch.cuda.cudart()  # type: ignore[no-untyped-call]


@contextmanager
def _translated(doing: str) -> Iterator[None]:
    """Out of memory is survivable; every other error of the device has lost it."""
    try:
        yield
    except RuntimeError as error:
        # torch has had several classes for these; what they say has stayed the same.
        reason = str(error).splitlines()[0]
        if "out of memory" in reason:
            raise OutOfMemory(
                reason.partition(". ")[0], hint="use fewer requests or a smaller --budget"
            ) from None
        if "CUDA" not in reason and "HIP" not in reason:
            raise
        raise DeviceLost(f"the device failed while {doing}: {reason}") from None
