"""What a drill is given: stations to work on, ways to say what must hold, and a table to fill.

It knows nothing about any drill, or about how results are shown.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferrum_cli.errors import FerrumError
from ferrum_cli.live.device import DeviceMemory
from ferrum_cli.live.drills._station import Setup, Station, Tensors
from ferrum_cli.live.layout import SlotLayout, Storage
from ferrum_cli.live.manager import StateHandle
from ferrum_cli.live.recurrences import Recurrence
from ferrum_cli.report import Cell, Unit, cell

_SHOWN_FAILURES = 20


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What all drills of one run share."""

    make_device: Callable[[], DeviceMemory]
    recurrence_of: Callable[[Storage], Recurrence]
    tensors: Tensors
    folder: Path
    """Where snapshots may be written."""
    layout: str = "arena"
    eviction: str = "lru"
    resume: str = "snapshot"
    seed: int = 0
    cycles: int = 10_000
    """How often what may leak is repeated."""


class Scene:
    """One run of one drill. Failures are collected; the first does not hide the others."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.rng = random.Random(stage.seed)  # noqa: S311 - replayable, not secret
        self.packed_bytes = SlotLayout.of(stage.tensors).stride_bytes
        self.slot_bytes = SlotLayout.of(stage.tensors).payload_bytes
        self.failures: list[str] = []
        self.rows: list[tuple[str, Cell]] = []
        self.audits = 0

    @contextmanager
    def station(self, slots: int, **setup: Any) -> Iterator[Station]:
        """A manager with this many slots; it is audited when its part is over."""
        station = Station(self._setup(slots, **setup))
        with station:
            yield station
            self.audit(station)
        # What a lost device had is nobody's any more.
        whole = station.manager.books.lost is None
        self.expect(not (whole and station.device.live), "device memory is not given back")
        self.expect(not station.device.pinned, "host memory is not given back")

    def expect(self, holds: bool, what: str) -> None:
        """Note a failure if `what` does not hold."""
        if not holds and len(self.failures) < _SHOWN_FAILURES:
            self.failures.append(what)

    def expect_right(self, station: Station, handles: Iterable[StateHandle] | None = None) -> None:
        """Every state (all live ones by default) is what its request's tokens give."""
        wanted = station.manager.books.live.values() if handles is None else handles
        for wrong in station.mismatches(list(wanted)):
            self.expect(holds=False, what=f"wrong state: {wrong}")

    def expect_zero(self, handle: StateHandle) -> None:
        """A fresh state holds nothing."""
        clean = not any(bool(view.any()) for view in _bytes_of(handle))
        self.expect(clean, f"the fresh state of {handle.request_id()} is not zero")

    async def expect_refused(
        self, work: Awaitable[object], kind: type[FerrumError], what: str
    ) -> FerrumError | None:
        """`work` raises this error; another, or none, is a failure."""
        try:
            await work
        except kind as error:
            return error
        except FerrumError as error:
            self.expect(holds=False, what=f"{what}: refused by {type(error).__name__}: {error}")
            return None
        self.expect(holds=False, what=f"{what}: was not refused")
        return None

    def audit(self, station: Station, *, idle: bool = True) -> None:
        """All invariants hold."""
        self.audits += 1
        for violation in station.auditor.check(idle=idle):
            self.expect(holds=False, what=violation)

    def row(self, what: str, value: float | str, unit: Unit = Unit.NONE) -> None:
        """A line of the drill's table."""
        self.rows.append((what, cell(value, unit)))

    def _setup(self, slots: int, **changes: Any) -> Setup:
        stage = self.stage
        defaults: dict[str, Any] = {
            "make_device": stage.make_device,
            "recurrence_of": stage.recurrence_of,
            "tensors": stage.tensors,
            "layout": stage.layout,
            "seed": stage.seed,
            "host_bytes": 2 * slots * self.packed_bytes,
        }
        return Setup(slots=slots, **{**defaults, **changes})


def _bytes_of(handle: StateHandle) -> Iterator[Any]:
    """Bytes, so that a NaN or a negative zero counts as what it is."""
    import torch  # noqa: PLC0415 - a scene is named before it is run

    for slot in handle.slots:
        for view in handle.storage.views(slot):
            yield view.reshape(-1).view(torch.uint8)
