"""A device that passes everything on; adaptors override what they change.

It knows nothing about any property of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ferrum_cli.contract import Device
from ferrum_cli.live.device.port import (
    Buffer,
    DeviceMemory,
    Event,
    MemoryLimits,
    MemoryStats,
    Region,
    Stream,
)


class Adaptor(DeviceMemory):
    """Around `inner`, which it does not own: closing the adaptor closes the inner device."""

    def __init__(self, inner: DeviceMemory) -> None:
        self.inner = inner
        self.kind = inner.kind
        self.backed = inner.backed

    def where(self) -> Device:
        """Pass on."""
        return self.inner.where()

    def allocate(self, size_bytes: int) -> Buffer:
        """Pass on."""
        return self.inner.allocate(size_bytes)

    def free(self, buffer: Buffer) -> None:
        """Pass on."""
        self.inner.free(buffer)

    def pin(self, size_bytes: int) -> Buffer:
        """Pass on."""
        return self.inner.pin(size_bytes)

    def unpin(self, buffer: Buffer) -> None:
        """Pass on."""
        self.inner.unpin(buffer)

    def copy(self, target: Region, source: Region, stream: Stream) -> None:
        """Pass on."""
        self.inner.copy(target, source, stream)

    def fill(self, target: Region, value: int, stream: Stream) -> None:
        """Pass on."""
        self.inner.fill(target, value, stream)

    def run(
        self, operation: Callable[[], object], writes: Sequence[Region], stream: Stream
    ) -> None:
        """Pass on."""
        self.inner.run(operation, writes, stream)

    def record(self, stream: Stream) -> Event:
        """Pass on."""
        return self.inner.record(stream)

    def follow(self, stream: Stream, event: Event) -> None:
        """Pass on."""
        self.inner.follow(stream, event)

    def done(self, event: Event) -> bool:
        """Pass on."""
        return self.inner.done(event)

    def wait(self, event: Event) -> None:
        """Pass on."""
        self.inner.wait(event)

    async def arrival(self, event: Event) -> None:
        """Pass on."""
        await self.inner.arrival(event)

    def stats(self) -> MemoryStats:
        """Pass on."""
        return self.inner.stats()

    def limits(self) -> MemoryLimits:
        """Pass on."""
        return self.inner.limits()

    def trim(self) -> None:
        """Pass on."""
        self.inner.trim()

    def close(self) -> None:
        """Pass on."""
        self.inner.close()
