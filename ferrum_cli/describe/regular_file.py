"""Reading one file that somebody named, and only a regular one, up to a limit.

A path from outside can be anything: a FIFO on which `open` waits for ever, a device without end, a
link to itself. It knows nothing about what is in the file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ferrum_cli.errors import DescriptionError

_WHY = {
    errno.ENOENT: ("no such file", "check the path"),
    errno.ENOTDIR: ("no such file", "a part of the path is no folder"),
    errno.EACCES: ("no permission to read this file", "check its mode and that of its folders"),
    errno.ELOOP: ("the symbolic links of this path go round in a circle", "name the file itself"),
    errno.ENAMETOOLONG: ("no such file", "the path is too long"),
}

_KINDS = (
    (stat.S_ISDIR, "a folder", "name a file in it"),
    (stat.S_ISFIFO, "a FIFO", "write its content to a file first"),
    (stat.S_ISSOCK, "a socket", "name a regular file"),
    (stat.S_ISCHR, "a device", "name a regular file"),
    (stat.S_ISBLK, "a device", "name a regular file"),
)


def read_bytes(path: Path | str, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes.

    Raises DescriptionError for everything else, without waiting and without reading it.
    """
    with opened(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise DescriptionError(
            f"larger than {limit:,} bytes, the most that is read",
            hint="check that this is the right file",
            where=shown_path(path),
        )
    return content


@contextmanager
def opened(path: Path | str) -> Iterator[BinaryIO]:
    """A regular file, open for reading; what reading it raises counts too.

    Raises DescriptionError for everything else, without waiting.
    """
    try:
        # Asked before it is opened, because opening alone moves a tape; and again afterwards,
        # because the name may by then stand for something else.
        _refuse_irregular(_status(path), path)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            _refuse_irregular(os.fstat(file.fileno()), path)
            yield file
    except OSError as error:
        message, hint = _WHY.get(error.errno or 0, (error.strerror or "unreadable", None))
        raise DescriptionError(message, hint=hint, where=shown_path(path)) from None


def shown_path(path: Path | str) -> str:
    """A path fit for a message: one with control characters or broken Unicode is escaped."""
    text = str(path)
    return text if text.isprintable() else ascii(text)


def _status(path: Path | str) -> os.stat_result:
    try:
        return os.stat(path)  # noqa: PTH116 - Path.stat() refuses no NUL in Python 3.11
    except ValueError:
        raise DescriptionError(
            "a path cannot hold a NUL character", hint="check the path", where=shown_path(path)
        ) from None


def _refuse_irregular(status: os.stat_result, path: Path | str) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    for is_kind, noun, hint in _KINDS:
        if is_kind(status.st_mode):
            raise DescriptionError(
                f"this is {noun}, not a regular file", hint=hint, where=shown_path(path)
            )
    raise DescriptionError("this is not a regular file", where=shown_path(path))
