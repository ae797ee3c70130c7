"""A folder of snapshots: written whole or not at all, read with every byte checked.

A file is written under a temporary name, flushed, and renamed, so that under its own name there is
the old snapshot or the new one, whenever the process dies. It knows nothing about devices: it moves
bytes between files and host memory.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import stat
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from ferrum_cli.contract import RecurrentStateSpec, RequestId
from ferrum_cli.errors import EnvironmentFailure, MissingExtra, SnapshotRefused
from ferrum_cli.live.device import Region
from ferrum_cli.live.layout import SlotLayout
from ferrum_cli.live.spill.container import (
    LARGEST_HEADER,
    LENGTH_BYTES,
    Entry,
    entries,
    header,
)
from ferrum_cli.live.spill.files import Files
from ferrum_cli.live.spill.inspect import digests_of

_TEMPORARY = re.compile(r"\.tmp-([0-9]+)\Z")


class SnapshotFolder:
    """Snapshots by request. What processes that have died left half-written is cleared away."""

    def __init__(self, path: Path, files: Files | None = None) -> None:
        self.path = path
        self._files = files or Files()
        _clear_leftovers(path)

    def file_of(self, request_id: RequestId) -> Path:
        """Where the snapshot of a request is or would be."""
        return self.path / f"{request_id}.safetensors"

    def write(
        self,
        spec: RecurrentStateSpec,
        layout: SlotLayout,
        regions: Sequence[Region],
        stop: threading.Event | None = None,
    ) -> Path:
        """Write a state's packed slots. Raises EnvironmentFailure; the old file stays then.

        Setting `stop` ends it the same way.
        """
        target = self.file_of(spec.request_id)
        temporary = target.with_name(f"{target.name}.tmp-{os.getpid()}")
        tensors = [_view(regions, entry) for entry in entries(layout, spec.max_batch_slots)]
        digest = _digester()
        try:
            self._files.remove(temporary)
            with_header = [memoryview(header(spec, layout, [digest(t) for t in tensors])), *tensors]
            self._write_all(temporary, with_header, stop or threading.Event())
            self._files.rename(temporary, target)
        except OSError as error:
            self._discard(temporary)
            raise EnvironmentFailure(
                f"cannot write the snapshot: {error.strerror or error}",
                hint="check the folder and the space left",
                where=str(target),
            ) from None
        except BaseException:
            self._discard(temporary)
            raise
        return target

    def read(
        self,
        spec: RecurrentStateSpec,
        layout: SlotLayout,
        regions: Sequence[Region],
        stop: threading.Event | None = None,
    ) -> None:
        """Fill packed slots from the request's file. Raises SnapshotRefused if anything is wrong.

        What the regions hold then must not be used.
        """
        path = self.file_of(spec.request_id)
        try:
            descriptor = _open_regular(path)
            try:
                _read(descriptor, spec, layout, regions, stop or threading.Event())
            finally:
                os.close(descriptor)
        except SnapshotRefused as error:
            raise error.located(str(path)) from None
        except OSError as error:
            what = f"cannot be read: {error.strerror or error}"
            raise SnapshotRefused("unreadable", what, where=str(path)) from None

    def remove(self, request_id: RequestId) -> None:
        """Delete a request's file, if there is one."""
        self._discard(self.file_of(request_id))

    def _write_all(self, path: Path, parts: Sequence[memoryview], stop: threading.Event) -> None:
        descriptor = self._files.create(path)
        try:
            for part in parts:
                if stop.is_set():
                    raise InterruptedError(errno.EINTR, "stopped")
                self._files.write(descriptor, part)
            self._files.flush(descriptor)
        finally:
            self._files.close(descriptor)

    def _discard(self, path: Path) -> None:
        """A file that cannot be deleted either is cleared away by a later process."""
        try:
            self._files.remove(path)
        except OSError:
            return


def _open_regular(path: Path) -> int:
    """A descriptor of a regular file that is no link. A FIFO must not block."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise SnapshotRefused("missing", "is gone") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise SnapshotRefused("symlink", "is a symbolic link") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SnapshotRefused("not-regular", "is no regular file")
    return descriptor


def _read(
    descriptor: int,
    spec: RecurrentStateSpec,
    layout: SlotLayout,
    regions: Sequence[Region],
    stop: threading.Event,
) -> None:
    size = os.fstat(descriptor).st_size
    raw = _read_header(descriptor, size)
    digests = digests_of(raw, size - len(raw), spec, layout)
    digest = _digester()
    offset = len(raw)
    for entry, expected in zip(entries(layout, spec.max_batch_slots), digests, strict=True):
        if stop.is_set():
            raise InterruptedError(errno.EINTR, "stopped")
        view = _view(regions, entry)
        _read_into(descriptor, view, offset)
        if digest(view) != expected:
            raise SnapshotRefused("data-damaged", f"has damaged bytes in {entry.name}")
        offset += entry.size_bytes


def _read_header(descriptor: int, size: int) -> bytes:
    """Length and header, with the length bounded before anything is believed."""
    if size == 0:
        raise SnapshotRefused("empty", "is empty")
    length = os.pread(descriptor, LENGTH_BYTES, 0)
    if len(length) < LENGTH_BYTES:
        raise SnapshotRefused("truncated-length", "ends within its first 8 bytes")
    count = int.from_bytes(length, "little")
    if count > LARGEST_HEADER:
        raise SnapshotRefused("header-too-large", f"says that its header has {count} bytes")
    if LENGTH_BYTES + count > size:
        raise SnapshotRefused("truncated-header", "ends within its header")
    return length + os.pread(descriptor, count, LENGTH_BYTES)


def _read_into(descriptor: int, view: memoryview, offset: int) -> None:
    while view:
        count = os.preadv(descriptor, [view], offset)
        if count == 0:
            raise SnapshotRefused("truncated-data", "became shorter while it was read")
        view, offset = view[count:], offset + count


def _view(regions: Sequence[Region], entry: Entry) -> memoryview:
    """A tensor's bytes in host memory; numpy, which torch would use for this, is not needed."""
    if entry.size_bytes == 0:
        return memoryview(b"")
    region = regions[entry.slot]
    address = region.buffer.tensor.data_ptr() + region.start + entry.offset
    return memoryview((ctypes.c_char * entry.size_bytes).from_address(address)).cast("B")


def _digester() -> Callable[[memoryview], str]:
    try:
        import xxhash  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise MissingExtra("live", "keeping snapshots in files") from None
    return lambda view: str(xxhash.xxh3_128_hexdigest(view))


def _clear_leftovers(folder: Path) -> None:
    for path in folder.glob("*.safetensors.tmp-*") if folder.is_dir() else ():
        found = _TEMPORARY.search(path.name)
        if found and not _is_running(int(found[1])):
            path.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
