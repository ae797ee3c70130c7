"""The port to a device's memory: what a device must do, and the types in which it is said.

Everything above goes through it, so that every fault can be injected by an adaptor. It knows
nothing about slots, requests or budgets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch

from ferrum_cli.contract import Device


class Stream(Enum):
    """In which order a device works: each stream in its own, the two at the same time."""

    COMPUTE = "compute"
    """The caller's order: whatever the caller does next sees the result."""
    COPIES = "copies"
    """Beside the caller: a result is there only once a recorded event has been waited for."""


@dataclass(eq=False, slots=True)
class Buffer:
    """Memory of a device, or pinned memory of its host.

    `tensor` is its bytes, uint8 of shape [size_bytes]; `key` is what the device knows it by.
    """

    size_bytes: int
    tensor: torch.Tensor
    key: Any = None

    def region(self, start: int = 0, size_bytes: int | None = None) -> Region:
        """A part of the buffer; all of it by default."""
        size = self.size_bytes - start if size_bytes is None else size_bytes
        return Region(self, start, size)


@dataclass(frozen=True, slots=True)
class Region:
    """A range of bytes of one buffer."""

    buffer: Buffer
    start: int
    size_bytes: int

    def __post_init__(self) -> None:
        assert 0 <= self.start <= self.start + self.size_bytes <= self.buffer.size_bytes  # noqa: S101

    @property
    def tensor(self) -> torch.Tensor:
        """The bytes, uint8 of shape [size_bytes]."""
        return self.buffer.tensor.narrow(0, self.start, self.size_bytes)

    def overlaps(self, other: Region) -> bool:
        """Whether the two share a byte."""
        return (
            self.buffer is other.buffer
            and self.start < other.start + other.size_bytes
            and other.start < self.start + self.size_bytes
        )


@dataclass(frozen=True, slots=True)
class Event:
    """A point in a stream: reached when all work queued before it is done."""

    mark: Any


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Bytes that are in use; None where a device has no such figure."""

    requested_bytes: int
    """Sum of the sizes that were asked for."""
    allocated_bytes: int | None = None
    """Blocks of the allocator, which may be larger than what was asked for."""
    reserved_bytes: int | None = None
    """Segments that the allocator took from the driver."""
    segments: int | None = None
    """How many segments those are."""
    mapped_bytes: int | None = None
    """Pages that were mapped for device and host buffers, for devices that live on the host."""
    resident_bytes: int | None = None
    """The process's resident memory, for devices that live on the host."""


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """What the device has, and what of it can still be had; both change with other processes."""

    total_bytes: int
    free_bytes: int


class DeviceMemory(ABC):
    """A device's memory.

    Every method may raise DeviceLost. Work is queued on a stream and done in its order. A failure
    that shows only when the work is done is raised by `wait` and `arrival`.
    """

    kind: str
    """The name by which a user asks for it."""
    backed: bool = True
    """Whether there are bytes behind the buffers, or sizes and addresses alone."""

    @abstractmethod
    def where(self) -> Device:
        """The contract's name for it."""

    @abstractmethod
    def allocate(self, size_bytes: int) -> Buffer:
        """Memory of the device; the bytes are arbitrary. Raises OutOfMemory."""

    @abstractmethod
    def free(self, buffer: Buffer) -> None:
        """Give memory back. Nothing may still be queued on it."""

    @abstractmethod
    def pin(self, size_bytes: int) -> Buffer:
        """Host memory for copies, exactly of this size, every page touched. Raises OutOfMemory."""

    @abstractmethod
    def unpin(self, buffer: Buffer) -> None:
        """Give host memory back. Nothing may still be queued on it."""

    @abstractmethod
    def copy(self, target: Region, source: Region, stream: Stream) -> None:
        """Queue a copy between two regions of one size. Raises CopyFailed."""

    @abstractmethod
    def fill(self, target: Region, value: int, stream: Stream) -> None:
        """Queue setting every byte to `value`. Raises CopyFailed."""

    @abstractmethod
    def run(
        self, operation: Callable[[], object], writes: Sequence[Region], stream: Stream
    ) -> None:
        """Queue an operation on tensors of `writes`, which it may read and write."""

    @abstractmethod
    def record(self, stream: Stream) -> Event:
        """The point in the stream that is reached when all work queued so far is done."""

    @abstractmethod
    def follow(self, stream: Stream, event: Event) -> None:
        """Work queued on the stream from now on happens after the event."""

    @abstractmethod
    def done(self, event: Event) -> bool:
        """Whether the event has been reached; never waits."""

    @abstractmethod
    def wait(self, event: Event) -> None:
        """Block until the event is reached. Raises CopyFailed for work before it that failed."""

    @abstractmethod
    async def arrival(self, event: Event) -> None:
        """As `wait`, without blocking the event loop. Being cancelled here cancels no work."""

    @abstractmethod
    def stats(self) -> MemoryStats:
        """What is in use now."""

    @abstractmethod
    def limits(self) -> MemoryLimits:
        """What there is, and what is left of it."""

    @abstractmethod
    def trim(self) -> None:
        """Return memory that is cached but unused to the driver."""

    @abstractmethod
    def close(self) -> None:
        """Finish what is queued and let go of threads; buffers must have been freed."""
