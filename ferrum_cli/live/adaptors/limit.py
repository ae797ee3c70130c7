"""A cap on the bytes that may be allocated on a device.

It knows nothing about how the device rounds: it counts what was asked for.
"""

from __future__ import annotations

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.adaptors._adaptor import Adaptor
from ferrum_cli.live.device.port import Buffer, DeviceMemory, MemoryLimits
from ferrum_cli.quantity import format_bytes


class Limited(Adaptor):
    """`inner` with at most `limit_bytes` of its memory in use; host memory is not counted."""

    def __init__(self, inner: DeviceMemory, limit_bytes: int) -> None:
        super().__init__(inner)
        self.limit_bytes = limit_bytes
        self.used_bytes = 0

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate within the cap. Raises OutOfMemory beyond it, before the device is asked."""
        if self.used_bytes + size_bytes > self.limit_bytes:
            raise OutOfMemory(
                f"{format_bytes(size_bytes)} more than the {format_bytes(self.used_bytes)} in use"
                f" exceed the limit of {format_bytes(self.limit_bytes)}",
                hint="use fewer requests",
            )
        buffer = self.inner.allocate(size_bytes)
        self.used_bytes += size_bytes
        return buffer

    def free(self, buffer: Buffer) -> None:
        """Free, and let its bytes be used again."""
        self.inner.free(buffer)
        self.used_bytes -= buffer.size_bytes

    def limits(self) -> MemoryLimits:
        """The tighter of the cap and the device."""
        inner = self.inner.limits()
        return MemoryLimits(
            min(inner.total_bytes, self.limit_bytes),
            min(inner.free_bytes, self.limit_bytes - self.used_bytes),
        )
