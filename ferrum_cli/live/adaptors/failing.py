"""Faults on purpose: the n-th call of an operation fails, once or from then on.

It knows nothing about what the caller does about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ferrum_cli.errors import DeviceLost, FerrumError, OutOfMemory
from ferrum_cli.live.adaptors._adaptor import Adaptor
from ferrum_cli.live.device.port import Buffer, DeviceMemory, Event, Region, Stream


@dataclass(frozen=True, slots=True)
class Fault:
    """From which call on (from 1) an operation fails, with which error, and whether for good.

    `operation` is a method of the port; `arrival` counts as `wait`, and "any" counts all of them.
    """

    operation: str
    nth: int
    error: type[FerrumError] = OutOfMemory
    sticky: bool = False


class Failing(Adaptor):
    """`inner` whose calls fail as `fault` says; `calls` counts them by operation.

    The failing call does not reach the inner device.
    """

    def __init__(self, inner: DeviceMemory, fault: Fault | None = None) -> None:
        super().__init__(inner)
        self.fault = fault
        self.calls: Counter[str] = Counter()
        self.fired = 0
        """How often the fault has struck: a test asserts that it did."""

    def arm(self, fault: Fault | None) -> None:
        """Count from here on, and fail as `fault` says."""
        self.fault = fault
        self.calls.clear()

    def allocate(self, size_bytes: int) -> Buffer:
        """Allocate, or fail."""
        self._strike("allocate")
        return self.inner.allocate(size_bytes)

    def free(self, buffer: Buffer) -> None:
        """Free, or fail; then the buffer is still the device's."""
        self._strike("free")
        self.inner.free(buffer)

    def pin(self, size_bytes: int) -> Buffer:
        """Pin, or fail."""
        self._strike("pin")
        return self.inner.pin(size_bytes)

    def unpin(self, buffer: Buffer) -> None:
        """Unpin, or fail."""
        self._strike("unpin")
        self.inner.unpin(buffer)

    def copy(self, target: Region, source: Region, stream: Stream) -> None:
        """Queue a copy, or fail."""
        self._strike("copy")
        self.inner.copy(target, source, stream)

    def fill(self, target: Region, value: int, stream: Stream) -> None:
        """Queue a fill, or fail."""
        self._strike("fill")
        self.inner.fill(target, value, stream)

    def run(
        self, operation: Callable[[], object], writes: Sequence[Region], stream: Stream
    ) -> None:
        """Queue an operation, or fail."""
        self._strike("run")
        self.inner.run(operation, writes, stream)

    def record(self, stream: Stream) -> Event:
        """Record an event, or fail."""
        self._strike("record")
        return self.inner.record(stream)

    def follow(self, stream: Stream, event: Event) -> None:
        """Order the streams, or fail."""
        self._strike("follow")
        self.inner.follow(stream, event)

    def done(self, event: Event) -> bool:
        """Ask for an event, or fail."""
        self._strike("done")
        return self.inner.done(event)

    def wait(self, event: Event) -> None:
        """Wait, or fail before the wait."""
        self._strike("wait")
        self.inner.wait(event)

    async def arrival(self, event: Event) -> None:
        """Wait without blocking; the failure shows when the work is done, as on a device."""
        await self.inner.arrival(event)
        self._strike("wait")

    def trim(self) -> None:
        """Empty the cache, or fail."""
        self._strike("trim")
        self.inner.trim()

    def _strike(self, operation: str) -> None:
        self.calls[operation] += 1
        self.calls["any"] += 1
        fault = self.fault
        if fault is None or fault.operation not in (operation, "any"):
            return
        count = self.calls[fault.operation]
        if count == fault.nth or (fault.sticky and count > fault.nth):
            self.fired += 1
            raise fault.error(f"injected: {operation} number {count}")


def lost_at(nth: int) -> Fault:
    """The device is lost at its n-th call, and stays lost."""
    return Fault("any", nth, DeviceLost, sticky=True)
