"""How fast states are zeroed, saved, restored and computed again, against plain copies and fills.

Each is timed on the device itself with buffers of the same size. It knows nothing about requests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ferrum_cli.contract import RequestId
from ferrum_cli.live.device import Buffer, DeviceMemory, Stream
from ferrum_cli.live.manager import StateHandle, StateManager, StatePool
from ferrum_cli.live.measure._measurement import Measurement, fastest
from ferrum_cli.live.model import StateModel
from ferrum_cli.live.recurrences.exact import Exact
from ferrum_cli.live.resume.snapshot import SnapshotOnPreempt

ROUNDS = 12
_NS = 1e9


@dataclass(frozen=True, slots=True)
class CopyTimes:
    """ns for one slot; `step` is one token of the exact recurrence."""

    slot_bytes: int
    copy: float
    fill: float
    zero: float
    snapshot: float
    restore: float
    step: float

    @property
    def break_even_tokens(self) -> int:
        """From how many tokens on a snapshot and its restoration are faster than running them."""
        return -int(-(self.snapshot + self.restore) // self.step)

    def measurements(self) -> Iterator[Measurement]:
        """Rates in bytes per second; tokens per second against plain copies of a slot."""
        copy, fill = self._rate(self.copy), self._rate(self.fill)
        yield Measurement("zero", self._rate(self.zero), "bytes/s", fill)
        yield Measurement("snapshot", self._rate(self.snapshot), "bytes/s", copy)
        yield Measurement("restore", self._rate(self.restore), "bytes/s", copy)
        yield Measurement("recompute", _NS / self.step, "tokens/s", _NS / self.copy)
        yield Measurement("break_even_tokens", self.break_even_tokens, "tokens")

    def _rate(self, took: float) -> float:
        return self.slot_bytes * _NS / took


class CopyBench:
    """One state on a device, staging for its snapshot, and plain buffers of the same size."""

    def __init__(self, model: StateModel, device: DeviceMemory) -> None:
        self.device = device
        self.pool = StatePool(device, [(model.tensors, 1)])
        [self.storage] = self.pool.storages
        stride = self.storage.layout.stride_bytes
        self.policy = SnapshotOnPreempt(device, stride)
        self.manager = StateManager(self.pool)
        spec = model.spec(RequestId.new(), 1, device.where())
        handle = self.manager.try_allocate(spec)
        assert handle is not None  # noqa: S101
        self.handle: StateHandle = handle
        self.plain = device.allocate(stride)
        self.host: Buffer = device.pin(stride)
        self.recurrence = Exact(self.storage.layout, self.plain.tensor.device)
        self._saved = self.policy.save(handle)
        self._settle()

    def close(self) -> None:
        """Give everything back."""
        self._saved.drop()
        self.policy.close()
        self.device.free(self.plain)
        self.device.unpin(self.host)
        self.pool.close()

    def copy(self) -> None:
        """A plain copy between device and host."""
        self.device.copy(self.host.region(), self.plain.region(), Stream.COMPUTE)
        self._settle_compute()

    def fill(self) -> None:
        """A plain fill."""
        self.device.fill(self.plain.region(), 0, Stream.COMPUTE)
        self._settle_compute()

    def zero(self) -> None:
        """Zero the state's slot."""
        self.storage.zero(self.handle.slots)
        self._settle_compute()

    def snapshot(self) -> None:
        """Save the state, as an eviction does."""
        self._saved.drop()
        self._saved = self.policy.save(self.handle)
        self._settle()

    def restore(self) -> None:
        """Bring it back, as a resumption does."""
        self._saved.restore(self.storage, self.handle.slots)
        self._settle()

    def step(self) -> None:
        """Run one token over the state."""
        self.recurrence.advance(self.storage, self.handle.slots, [7], 0)
        self._settle_compute()

    def _settle(self) -> None:
        self.device.wait(self.device.record(Stream.COPIES))

    def _settle_compute(self) -> None:
        self.device.wait(self.device.record(Stream.COMPUTE))


def copy_times(model: StateModel, device: DeviceMemory, rounds: int = ROUNDS) -> CopyTimes:
    """Time one slot of a model. On the host in processor time, on a device by the clock."""
    bench = CopyBench(model, device)
    clock = time.process_time_ns if device.kind == "cpu" else time.perf_counter_ns
    names = ("copy", "fill", "zero", "snapshot", "restore", "step")
    works: dict[str, Callable[[], object]] = {name: getattr(bench, name) for name in names}
    try:
        best = fastest(works, rounds, clock)
    finally:
        bench.close()
    return CopyTimes(bench.storage.layout.stride_bytes, *(float(best[name]) for name in names))
