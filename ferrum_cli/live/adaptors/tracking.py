"""Double bookkeeping: every buffer that is live, on the device and on the host.

It knows nothing about slots; it finds leaks, double frees and buffers that are not its own.
"""

from __future__ import annotations

from ferrum_cli.errors import MemoryMisuse
from ferrum_cli.live.adaptors._adaptor import Adaptor
from ferrum_cli.live.device.port import Buffer, DeviceMemory, Region, Stream


class Tracked(Adaptor):
    """`inner` with its live buffers. Raises MemoryMisuse for a buffer that is not live."""

    def __init__(self, inner: DeviceMemory) -> None:
        super().__init__(inner)
        self.live: dict[Buffer, int] = {}
        """Device buffers and their sizes when they were made."""
        self.pinned: dict[Buffer, int] = {}
        """Host buffers and their sizes."""
        self.peak_bytes = 0
        """The most device memory that was live at once."""

    @property
    def live_bytes(self) -> int:
        """Bytes of the device buffers."""
        return sum(self.live.values())

    @property
    def pinned_bytes(self) -> int:
        """Bytes of the host buffers."""
        return sum(self.pinned.values())

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate and remember."""
        buffer = self.inner.allocate(size_bytes)
        self.live[buffer] = size_bytes
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        return buffer

    def free(self, buffer: Buffer) -> None:
        """Free what is live; a buffer stays live if the device fails to free it."""
        _check(buffer, self.live, "freed")
        self.inner.free(buffer)
        del self.live[buffer]

    def pin(self, size_bytes: int) -> Buffer:
        """Pin and remember."""
        buffer = self.inner.pin(size_bytes)
        self.pinned[buffer] = size_bytes
        return buffer

    def unpin(self, buffer: Buffer) -> None:
        """Unpin what is pinned."""
        _check(buffer, self.pinned, "unpinned")
        self.inner.unpin(buffer)
        del self.pinned[buffer]

    def copy(self, target: Region, source: Region, stream: Stream) -> None:
        """Copy between live buffers."""
        self._check_live(target)
        self._check_live(source)
        self.inner.copy(target, source, stream)

    def fill(self, target: Region, value: int, stream: Stream) -> None:
        """Fill a live buffer."""
        self._check_live(target)
        self.inner.fill(target, value, stream)

    def _check_live(self, region: Region) -> None:
        if region.buffer not in self.live and region.buffer not in self.pinned:
            raise MemoryMisuse(f"{region.size_bytes} bytes of a buffer that is not live were used")


def _check(buffer: Buffer, known: dict[Buffer, int], done: str) -> None:
    if buffer not in known:
        raise MemoryMisuse(f"a buffer of {buffer.size_bytes} bytes that is not live was {done}")
    if buffer.size_bytes != known[buffer]:
        raise MemoryMisuse(f"{buffer.size_bytes} bytes were {done} of a buffer of {known[buffer]}")
