"""One run of real memory: fit, fill, verify, refuse one more, empty; then drills and measurements.

It knows nothing about command lines, or about how its results are shown.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import torch

from ferrum_cli.contract import RecurrentStateManagerStats
from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.check import Check, Verdict
from ferrum_cli.live.device import DeviceMemory, open_device
from ferrum_cli.live.device.headroom import available_bytes
from ferrum_cli.live.drills import DrillResult, Stage, run_drills
from ferrum_cli.live.filling import Filling
from ferrum_cli.live.handle_facts import HandleFacts
from ferrum_cli.live.layout import SlotLayout, Storage
from ferrum_cli.live.measure import Measurement, bookkeeping, copy_times, overhead
from ferrum_cli.live.model import StateModel, scaled
from ferrum_cli.live.recurrences import Recurrence
from ferrum_cli.live.recurrences._mixer import Mixer
from ferrum_cli.live.recurrences.exact import Exact
from ferrum_cli.quantity import format_bytes, saturating_mul

Tell = Callable[[str], object]
_MEASURED_SLOTS = 16


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a user asks for."""

    device: str = "cpu"
    requests: int = 1
    slots: int = 1
    """Slots of each request."""
    budget_bytes: int | None = None
    layout: str = "arena"
    policy: str = "none"
    resume: str = "snapshot"
    recurrence: str = "exact"
    drills: tuple[str, ...] = ()
    measure: bool = False
    full: bool = False
    """Drills at the model's full size."""
    seed: int = 0


@dataclass
class Run:
    """What came of it."""

    model: StateModel
    wanted: Wanted
    device: str
    fitting: int = 0
    """Requests that the budget holds at once."""
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stats: RecurrentStateManagerStats | None = None
    handles: list[HandleFacts] = field(default_factory=list)
    drills: list[DrillResult] = field(default_factory=list)
    drilled: StateModel | None = None
    measurements: list[Measurement] = field(default_factory=list)

    @property
    def request_bytes(self) -> int:
        """The estimate for one request."""
        return saturating_mul(self.model.slot_bytes, self.wanted.slots)

    @property
    def estimate_bytes(self) -> int:
        """The estimate for all requests."""
        return saturating_mul(self.request_bytes, self.wanted.requests)

    @property
    def fits(self) -> bool:
        """Whether the budget holds all requests, at once or in turns."""
        return self.fitting == self.wanted.requests or (self.swaps and self.fitting > 0)

    @property
    def holds(self) -> bool:
        """Whether budget, verification and drills all hold."""
        failed = any(check.verdict is Verdict.FAILS for check in self.checks)
        return self.fits and not failed and all(drill.passed for drill in self.drills)

    @property
    def swaps(self) -> bool:
        """Whether requests that do not fit at once may take turns."""
        return self.wanted.policy != "none"


def run(model: StateModel, wanted: Wanted, tell: Tell) -> Run:
    """Do all that is wanted. Raises EnvironmentFailure for what this machine cannot do."""
    result = Run(model, wanted, wanted.device)
    result.fitting = _fitting(result)
    with _one_thread():
        if result.fitting:
            _fill(result, tell)
        if wanted.drills:
            _drill(result, tell)
        if wanted.measure:
            _measure(result, tell)
    return result


def _fitting(result: Run) -> int:
    """Requests that the budget holds at once; all of them if there is no budget."""
    wanted = result.wanted
    if wanted.budget_bytes is None or not result.request_bytes:
        return wanted.requests
    return min(wanted.requests, wanted.budget_bytes // result.request_bytes)


def _fill(result: Run, tell: Tell) -> None:
    """Verify the model's state at its full size."""
    wanted = result.wanted
    swapped = wanted.requests - result.fitting if result.swaps else 0
    # Without bytes behind it the simulated device still has every size right.
    device = open_device(wanted.device, backed=swapped > 0)
    stride = SlotLayout.of(result.model.tensors).stride_bytes * wanted.slots
    _check_fits(device, stride * result.fitting, stride * swapped)
    filling = Filling(result.model, wanted, device, result.fitting, recurrence_of(result))
    try:
        asyncio.run(filling.run(tell))
    finally:
        filling.close()
        device.close()
    result.checks += filling.checks
    result.notes += filling.notes
    result.stats, result.handles = filling.stats, filling.handles


def _check_fits(device: DeviceMemory, on_device: int, on_host: int) -> None:
    """Refuse what the device or the host has no room for, before anything is taken."""
    free = device.limits().free_bytes
    if on_device > free:
        raise OutOfMemory(
            f"{format_bytes(on_device)} of state do not fit into the {format_bytes(free)}"
            f" that are free on {_name(device)}",
            hint="use fewer --requests, or a --budget with a --policy that swaps",
        )
    host = on_host + (on_device if device.kind == "cpu" or _simulates_bytes(device) else 0)
    if host > (left := available_bytes()):
        raise OutOfMemory(
            f"{format_bytes(host)} of host memory do not fit into the {format_bytes(left)} left",
            hint="use fewer --requests",
        )


def _name(device: DeviceMemory) -> str:
    return str(device.where()) if device.kind == "cuda" else device.kind


def _simulates_bytes(device: DeviceMemory) -> bool:
    return device.kind == "simulated" and device.backed


def recurrence_of(result: Run, model: StateModel | None = None) -> Callable[[Storage], Recurrence]:
    """The recurrence that was asked for; sets of tensors that are no model's are exact ones."""
    chosen = model or result.model

    def make(storage: Storage) -> Recurrence:
        if result.wanted.recurrence == "mixer" and storage.layout.tensors == chosen.tensors:
            return Mixer(storage.layout, chosen.blocks)
        device = torch.device("cuda") if storage.device.kind == "cuda" else None
        return Exact(storage.layout, device)

    return make


def _drill(result: Run, tell: Tell) -> None:
    wanted = result.wanted
    small = result.model if wanted.full else scaled(result.model)
    result.drilled = small
    with tempfile.TemporaryDirectory(prefix="ferrum-") as folder:
        stage = Stage(
            make_device=lambda: open_device(wanted.device),
            recurrence_of=recurrence_of(result, small),
            tensors=small.tensors,
            folder=Path(folder),
            layout=wanted.layout,
            eviction="lru" if wanted.policy == "none" else wanted.policy,
            resume=wanted.resume,
            seed=wanted.seed,
        )
        result.drills += run_drills(wanted.drills, stage, lambda name: tell(f"drill {name}"))


def _measure(result: Run, tell: Tell) -> None:
    tell("measuring the manager")
    result.measurements += bookkeeping(result.model)
    if result.wanted.device == "simulated":
        result.notes.append("copies are not timed on a simulated device: measure on cpu or cuda:0")
    else:
        tell("measuring copies")
        device = open_device(result.wanted.device)
        stride = SlotLayout.of(result.model.tensors).stride_bytes
        _check_fits(device, 2 * stride, 2 * stride)
        result.measurements += copy_times(result.model, device).measurements()
        device.close()
    slots = max(_MEASURED_SLOTS, result.wanted.requests * result.wanted.slots)
    result.measurements += overhead(result.model, slots)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Small operations on two busy cores wait for a thread that is not scheduled."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
