"""The few things that writing a snapshot asks of a file system, and an adaptor that fails at them.

It knows nothing about what is written.
"""

from __future__ import annotations

import os
from pathlib import Path


class Files:
    """The operating system's files. Every method may raise OSError."""

    def create(self, path: Path) -> int:
        """A new file that did not exist, for this user alone."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)

    def write(self, descriptor: int, content: memoryview) -> None:
        """All of it, however many calls that takes."""
        while content:
            content = content[os.write(descriptor, content) :]

    def flush(self, descriptor: int) -> None:
        """Onto the disk."""
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Done with the file."""
        os.close(descriptor)

    def rename(self, path: Path, target: Path) -> None:
        """From now on it is the target, in the place of what was there; also after a crash."""
        path.replace(target)
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def remove(self, path: Path) -> None:
        """Gone, if it was there."""
        path.unlink(missing_ok=True)


class FailingFiles(Files):
    """Files whose n-th call, from 1, that could run out of space fails."""

    def __init__(self, nth: int, error: OSError) -> None:
        self._nth = nth
        self._error = error
        self.calls = 0

    def create(self, path: Path) -> int:
        """Create, or fail."""
        self._strike()
        return super().create(path)

    def write(self, descriptor: int, content: memoryview) -> None:
        """Write, or fail with half of it written."""
        try:
            self._strike()
        except OSError:
            super().write(descriptor, content[: len(content) // 2])
            raise
        super().write(descriptor, content)

    def flush(self, descriptor: int) -> None:
        """Flush, or fail."""
        self._strike()
        super().flush(descriptor)

    def rename(self, path: Path, target: Path) -> None:
        """Rename, or fail."""
        self._strike()
        super().rename(path, target)

    def _strike(self) -> None:
        self.calls += 1
        if self.calls == self._nth:
            raise self._error
