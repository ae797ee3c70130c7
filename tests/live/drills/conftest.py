"""Stages for drills: one for every kind of block that keeps state, on every device."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ferrum_cli.live.drills import Stage, run_drill
from ferrum_cli.live.layout import Storage
from ferrum_cli.live.recurrences.exact import Exact
from tests.live.device.devices import BARE
from tests.live.kinds import KINDS

Trial = Callable[..., tuple[str, ...]]


def exact_of(storage: Storage) -> Exact:
    return Exact(storage.layout)


def make_stage(kind: str, device: str, folder: Path) -> Stage:
    return Stage(
        make_device=BARE[device],
        recurrence_of=exact_of,
        tensors=KINDS[kind].tensors,
        folder=folder,
        cycles=200,
    )


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=BARE)
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def trial(kind: str, device: str, tmp_path: Path) -> Trial:
    """Run a drill for one kind on one device, and give what failed."""

    def run(name: str) -> tuple[str, ...]:
        result = run_drill(name, make_stage(kind, device, tmp_path))
        assert result.rows
        assert result.audits > 0
        return result.failures

    return run


@pytest.fixture
def mutant(tmp_path: Path) -> Trial:
    """Run a drill against a manager that a test has broken, and give what failed."""

    def run(name: str, **changes: object) -> tuple[str, ...]:
        stage = make_stage("gated_delta_net", "simulated", tmp_path)
        return run_drill(name, replace(stage, **changes)).failures  # type: ignore[arg-type]

    return run


@pytest.fixture(autouse=True, scope="session")
def frozen_heap() -> Iterator[None]:
    """What other tests have left is not looked through again at every collection."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
