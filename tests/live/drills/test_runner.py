"""Running drills: names, refusals, repeatability, and drills that break or never end."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace
from pathlib import Path

import pytest

from ferrum_cli import discover
from ferrum_cli.errors import ResourceExhausted, UsageError
from ferrum_cli.live.drills import Scene, _runner, chosen_drills, drills, run_drill, run_drills
from tests.live.drills.conftest import make_stage


def test_every_drill_of_the_product_is_there() -> None:
    assert set(drills()) >= {
        *("abort-retry", "admission-failure", "budget-edge", "cancel", "checkpoint-growth"),
        *("churn", "device-lost", "draft-rollback", "drain-refill", "duplicate-id"),
        *("fragmentation", "leak", "oversubscribe", "preempt-resume", "recycled-slot"),
        *("shared-pool", "snapshot-damage"),
    }


def test_all_means_every_drill_once() -> None:
    assert chosen_drills(["churn", "all", "leak"]) == (
        "churn",
        *(name for name in drills() if name != "churn"),
    )


def test_an_unknown_drill_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="--drill: unknown drill 'churm'; did you mean 'churn'"):
        chosen_drills(["churm"])


@pytest.mark.parametrize("name", drills())
def test_a_drill_says_what_it_proves_and_has_one_entry(name: str) -> None:
    module = discover.load("ferrum_cli.live.drills", name.replace("-", "_"))
    assert module is not None
    assert inspect.iscoroutinefunction(module.run)


@pytest.mark.parametrize("name", [name for name in drills() if name != "leak"])
def test_a_drill_with_the_same_seed_does_the_same(name: str, tmp_path: Path) -> None:
    stage = replace(make_stage("mamba2", "simulated", tmp_path), seed=11)
    first, second = (run_drill(name, stage) for _ in range(2))
    assert (first.rows, first.failures) == (second.rows, second.failures)


def test_each_drill_is_announced_before_it_runs(tmp_path: Path) -> None:
    told: list[str] = []
    results = run_drills(
        ["churn", "budget-edge"], make_stage("mamba2", "simulated", tmp_path), told.append
    )
    assert next(results).name == "churn"
    assert told == ["churn"]
    assert next(results).passed
    assert told == ["churn", "budget-edge"]


def broken(monkeypatch: pytest.MonkeyPatch, run: object) -> None:
    module = discover.load("ferrum_cli.live.drills", "churn")
    monkeypatch.setattr(module, "run", run)


def test_a_drill_that_breaks_off_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(_: Scene) -> None:
        raise ResourceExhausted("out of luck")

    broken(monkeypatch, run)
    result = run_drill("churn", make_stage("mamba2", "simulated", tmp_path))
    assert not result.passed
    assert result.failures == ("it broke off with ResourceExhausted: out of luck",)


def test_a_drill_that_never_ends_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(_: Scene) -> None:
        await asyncio.Event().wait()

    broken(monkeypatch, run)
    monkeypatch.setattr(_runner, "LONGEST_S", 0.01)
    result = run_drill("churn", make_stage("mamba2", "simulated", tmp_path))
    assert result.failures == ("it did not end within 0 s",)


def test_a_drill_that_leaves_a_task_behind_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[asyncio.Task[bool]] = []

    async def run(_: Scene) -> None:
        left.append(asyncio.create_task(asyncio.Event().wait()))

    broken(monkeypatch, run)
    result = run_drill("churn", make_stage("mamba2", "simulated", tmp_path))
    assert result.failures == ("I8: 1 tasks are left behind",)


def test_many_failures_are_not_all_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(scene: Scene) -> None:
        for number in range(500):
            scene.expect(holds=False, what=f"failure {number}")

    broken(monkeypatch, run)
    result = run_drill("churn", make_stage("mamba2", "simulated", tmp_path))
    assert len(result.failures) == 20
