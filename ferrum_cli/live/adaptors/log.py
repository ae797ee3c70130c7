"""A log of what a device was asked, one JSON object a line, and its replay on any device.

It knows nothing about the meaning of the calls; buffers are numbered in the order of allocation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from ferrum_cli.live.adaptors._adaptor import Adaptor
from ferrum_cli.live.device.port import Buffer, DeviceMemory, Region, Stream


class Logged(Adaptor):
    """`inner`, each of whose calls that succeeded is handed to `write` as one line."""

    def __init__(self, inner: DeviceMemory, write: Callable[[str], object]) -> None:
        super().__init__(inner)
        self._write = write
        self._numbers: dict[Buffer, int] = {}
        self._next = 0

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate, and log the number of the buffer."""
        buffer = self.inner.allocate(size_bytes)
        self._log("allocate", buffer=self._number(buffer), bytes=size_bytes)
        return buffer

    def free(self, buffer: Buffer) -> None:
        """Free, and log."""
        self.inner.free(buffer)
        self._log("free", buffer=self._numbers.pop(buffer, None))

    def pin(self, size_bytes: int) -> Buffer:
        """Pin, and log the number of the buffer."""
        buffer = self.inner.pin(size_bytes)
        self._log("pin", buffer=self._number(buffer), bytes=size_bytes)
        return buffer

    def unpin(self, buffer: Buffer) -> None:
        """Unpin, and log."""
        self.inner.unpin(buffer)
        self._log("unpin", buffer=self._numbers.pop(buffer, None))

    def copy(self, target: Region, source: Region, stream: Stream) -> None:
        """Queue a copy, and log."""
        self.inner.copy(target, source, stream)
        self._log("copy", to=self._place(target), of=self._place(source), stream=stream.value)

    def fill(self, target: Region, value: int, stream: Stream) -> None:
        """Queue a fill, and log."""
        self.inner.fill(target, value, stream)
        self._log("fill", to=self._place(target), value=value, stream=stream.value)

    def _number(self, buffer: Buffer) -> int:
        self._numbers[buffer] = self._next
        self._next += 1
        return self._numbers[buffer]

    def _place(self, region: Region) -> list[int | None]:
        return [self._numbers.get(region.buffer), region.start, region.size_bytes]

    def _log(self, operation: str, **fields: object) -> None:
        self._write(json.dumps({"op": operation, **fields}))


def replay(lines: Iterable[str], device: DeviceMemory) -> dict[int, Buffer]:
    """Ask a device what a log says, in its order; the buffers that are live at the end.

    Raises what the device raises, such as OutOfMemory on a smaller one.
    """
    buffers: dict[int, Buffer] = {}
    for line in lines:
        _repeat(json.loads(line), device, buffers)
    device.wait(device.record(Stream.COPIES))
    return buffers


def _repeat(entry: dict[str, Any], device: DeviceMemory, buffers: dict[int, Buffer]) -> None:
    def region(place: list[int]) -> Region:
        number, start, size = place
        return buffers[number].region(start, size)

    match entry["op"]:
        case "allocate":
            buffers[entry["buffer"]] = device.allocate(entry["bytes"])
        case "pin":
            buffers[entry["buffer"]] = device.pin(entry["bytes"])
        case "free":
            device.free(buffers.pop(entry["buffer"]))
        case "unpin":
            device.unpin(buffers.pop(entry["buffer"]))
        case "copy":
            device.copy(region(entry["to"]), region(entry["of"]), Stream(entry["stream"]))
        case "fill":
            device.fill(region(entry["to"]), entry["value"], Stream(entry["stream"]))
