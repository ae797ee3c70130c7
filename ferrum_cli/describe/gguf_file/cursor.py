"""A position in a file's header: every read is checked against what the file has left.

Nothing is allocated before the bytes it needs are known to be there, and only a window of the file
is ever in memory. It knows nothing about what the bytes mean.
"""

from __future__ import annotations

import os
import struct
from typing import NoReturn

from ferrum_cli.errors import DescriptionError

MAX_HEADER_BYTES = 256 * 1024 * 1024
"""No header is longer; the largest known ones are vocabularies of some 20 MiB."""

_WINDOW = 1024 * 1024
_LENGTH = struct.Struct("<Q")


class Cursor:
    """Sequential reading of a little-endian header from an open file of `size` bytes.

    `source` is the file's name for messages.
    """

    def __init__(self, descriptor: int, size: int, source: str) -> None:
        self._descriptor = descriptor
        self.size = size
        self.source = source
        self.position = 0
        self._window = b""
        self._start = 0

    @property
    def remaining(self) -> int:
        """Bytes between here and the end of the file."""
        return self.size - self.position

    def take(self, count: int, what: str) -> bytes:
        """The next `count` bytes. Raises DescriptionError where the file has fewer."""
        self.require(count, what)
        offset = self.position - self._start
        if offset < 0 or offset + count > len(self._window):
            self._refill(count)
            offset = 0
        self.position += count
        return self._window[offset : offset + count]

    def skip(self, count: int, what: str) -> None:
        """Move over `count` bytes that must be there."""
        self.require(count, what)
        self.position += count

    def number(self, form: struct.Struct, what: str) -> int | float | bool:
        """One number of a fixed form."""
        value: int | float | bool = form.unpack(self.take(form.size, what))[0]
        return value

    def length(self, what: str) -> int:
        """A 64-bit count of bytes or items; whether they are there is the caller's to check."""
        return int(self.number(_LENGTH, what))

    def skip_strings(self, count: int, what: str) -> None:
        """Move over `count` strings, each a 64-bit length and as many bytes."""
        self.require(count * _LENGTH.size, what)
        while count:
            skipped = self._skip_in_window(count, what)
            if not skipped:
                self.require(_LENGTH.size, what)
                self._refill(_LENGTH.size)
            count -= skipped
        self.require(0, what)

    def _skip_in_window(self, count: int, what: str) -> int:
        """Move over strings whose lengths the window holds; how many of `count` these were."""
        unpack, window, size = _LENGTH.unpack_from, self._window, _LENGTH.size
        offset = last = self.position - self._start
        end, skipped = len(window) - size, 0
        while 0 <= offset <= end and skipped < count:
            last, skipped = offset, skipped + 1
            offset += size + unpack(window, offset)[0]
        if self._start + offset > self.size:
            self.position = self._start + last + size
            self.require(offset - last - size, what)
        self.position = self._start + offset
        return skipped

    def require(self, count: int, what: str) -> None:
        """Refuse a read of `count` bytes that the file, or the longest header, has no room for."""
        if count > self.remaining:
            self.fail(
                f"{what} needs {count:,} bytes, but the file has {self.remaining:,} left",
                "the file is truncated or damaged: download it again",
            )
        if self.position + count > MAX_HEADER_BYTES:
            self.fail(
                f"{what} reaches beyond {MAX_HEADER_BYTES:,} bytes, the longest header that is read"
            )

    def fail(self, problem: str, hint: str | None = None, *, at: int | None = None) -> NoReturn:
        """Refuse the file for what stands here, or at the offset `at`."""
        place = self.position if at is None else at
        raise DescriptionError(problem, hint=hint, where=f"{self.source}: byte {place}")

    def _refill(self, count: int) -> None:
        self._window = os.pread(self._descriptor, max(count, _WINDOW), self.position)
        self._start = self.position
        if len(self._window) < count:
            self.fail("the file became shorter while it was read", "try again")
