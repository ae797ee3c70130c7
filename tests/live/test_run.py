"""Runs as the command makes them: verdicts, refusals beforehand, and reports of what failed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live import run as running
from ferrum_cli.live.check import Verdict, equal
from ferrum_cli.live.drills import DrillResult
from ferrum_cli.live.manager.ledger import Ledger
from ferrum_cli.live.model import StateModel
from ferrum_cli.live.resume.snapshot import Snapshot
from ferrum_cli.live.run import Run, Wanted, run
from ferrum_cli.live.run_report import report
from ferrum_cli.report import Level
from tests.live.kinds import KINDS, block_states


def small_model(kind: str = "gated_delta_net") -> StateModel:
    spec = KINDS[kind]
    return StateModel(kind, 2, spec.tensors, tuple(block_states(spec)))


def quiet(_: str) -> None:
    """Nobody is told."""


def failing(result: Run) -> list[str]:
    return [check.name for check in result.checks if check.verdict is Verdict.FAILS]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_every_kind_of_block_is_verified_on_every_device(kind: str, device: str) -> None:
    result = run(small_model(kind), Wanted(device=device, requests=3, slots=2), quiet)
    assert result.holds
    assert failing(result) == []


def test_progress_is_told_step_by_step() -> None:
    told: list[str] = []
    run(small_model(), Wanted(device="simulated", requests=2, drills=("churn",)), told.append)
    assert told == ["request 1 of 2", "request 2 of 2", "verifying", "drill churn"]


def test_what_does_not_fit_the_host_is_refused_before_a_page_is_touched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running, "available_bytes", lambda: 1000)
    with pytest.raises(OutOfMemory, match="of host memory do not fit into the 1000 B left"):
        run(small_model(), Wanted(device="cpu", requests=4), quiet)


def test_a_ledger_that_miscounts_fails_the_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ledger, "used_bytes", property(lambda _: 7))
    result = run(small_model(), Wanted(device="simulated"), quiet)
    assert not result.holds
    assert failing(result) == [
        "ledger",
        "violated invariants while full",
        "ledger after release",
        "violated invariants after release",
    ]
    assert any(note.startswith("I1: used bytes") for note in result.notes)


def test_states_that_come_back_wrong_fail_the_verification(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    budget = 2 * small_model().slot_bytes
    wanted = Wanted(device="cpu", requests=4, policy="lru", budget_bytes=budget)
    assert run(small_model(), wanted, quiet).holds
    monkeypatch.setattr(Snapshot, "restore", lambda *_: None)
    result = run(small_model(), wanted, quiet)
    assert failing(result) == ["states that came back wrong"]


def drill(name: str, *failures: str) -> DrillResult:
    return DrillResult(name, "What it proves", 7, failures, (), 1, 0.5)


def made(**changes: Any) -> Run:
    """A run without one: two requests that hold."""
    wanted = replace(Wanted(device="cpu", requests=2), **changes)
    return Run(
        small_model(),
        wanted,
        "cpu",
        fitting=2,
        checks=[equal("ledger", 5, 5), equal("live states", 2, 2)],
    )


def test_the_answer_is_one_sentence_for_each_outcome() -> None:
    size = f"{2 * small_model().slot_bytes / 1024:.2f} KiB"
    start = f"2 requests of gated_delta_net, {size} on cpu"
    result = made()
    assert report(result).answer == f"{start}: all 2 checks hold."
    result.drills = [drill("churn"), drill("leak")]
    assert report(result).answer == f"{start}: all 2 checks and 2 drills hold."
    result.drills = [drill("churn", "I3: lost"), drill("leak")]
    assert report(result).answer == f"{start}: 1 of 2 drills failed."
    result.checks.append(equal("ledger", 5, 6))
    assert report(result).answer == f"{start}: 1 of 3 checks and 1 of 2 drills failed."
    result = made(budget_bytes=5000)
    result.fitting = 1
    assert report(result).answer.startswith("1 of 2 requests of gated_delta_net fit into 4.88 KiB;")


def test_everything_that_failed_is_a_finding_with_the_way_to_repeat_it() -> None:
    result = made()
    result.checks.append(equal("ledger", 5, 6))
    result.drills = [drill("churn", "I3: lost")]
    found = report(result).findings
    assert [(f.level, f.code) for f in found] == [
        (Level.ERROR, "verification-failed"),
        (Level.ERROR, "drill-failed"),
    ]
    assert found[0].message == "ledger: expected 5, measured 6"
    assert found[1].hint == "repeat with --drill churn --seed 7"
    data = report(result).data
    assert isinstance(data, dict)
    assert data["verdict"] == "fails"
    assert data["drills"][0]["failures"] == ["I3: lost"]
