"""Host memory for copies of states: taken once, touched, pinned, and lent in pieces.

It knows nothing about what is copied. Pieces are as large as asked for, next to each other.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable

from ferrum_cli.live.device import Buffer, DeviceMemory, Region


class Staging:
    """`size_bytes` of pinned host memory. Raises OutOfMemory where the host has no more."""

    def __init__(self, device: DeviceMemory, size_bytes: int) -> None:
        self.device = device
        self.size_bytes = size_bytes
        self._buffer: Buffer | None = device.pin(size_bytes) if size_bytes else None
        self._free: list[tuple[int, int]] = [(0, size_bytes)] if size_bytes else []

    @property
    def free_bytes(self) -> int:
        """What is not lent."""
        return sum(size for _, size in self._free)

    @property
    def used_bytes(self) -> int:
        """What is lent."""
        return self.size_bytes - self.free_bytes

    def take(self, size_bytes: int) -> Region | None:
        """The first free piece that is large enough; None where there is none."""
        start = _take(self._free, size_bytes)
        if start is None or self._buffer is None:
            return None
        return self._buffer.region(start, size_bytes)

    def can_take(self, sizes: Iterable[int]) -> bool:
        """Whether `take` would find room for all of these, one after another."""
        free = list(self._free)
        return all(_take(free, size) is not None for size in sizes)

    def give(self, region: Region) -> None:
        """Take a piece back and join it with its free neighbours."""
        insort(self._free, (region.start, region.size_bytes))
        joined: list[tuple[int, int]] = []
        for start, size in self._free:
            if joined and sum(joined[-1]) == start:
                joined[-1] = (joined[-1][0], joined[-1][1] + size)
            else:
                joined.append((start, size))
        self._free = joined

    def close(self) -> None:
        """Give the memory back to the host."""
        if self._buffer is not None:
            self.device.unpin(self._buffer)
            self._buffer, self._free = None, []


def _take(free: list[tuple[int, int]], size: int) -> int | None:
    """First fit, which changes the list."""
    for place, (start, room) in enumerate(free):
        if room >= size:
            free[place : place + 1] = [(start + size, room - size)] if room > size else []
            return start
    return None
