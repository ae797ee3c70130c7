"""Ten thousand cycles leave nothing behind anywhere, and a manager that keeps handles is found."""

from typing import Any

import pytest

from ferrum_cli.live.manager import StateManager
from ferrum_cli.live.resume.snapshot import Snapshot
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("leak") == ()


def test_it_holds_for_ten_thousand_cycles(mutant: Trial) -> None:
    assert mutant("leak", cycles=10_000) == ()


def test_a_manager_that_remembers_every_handle_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Any] = []
    try_allocate = StateManager.try_allocate

    def remember(self: StateManager, spec: Any, priority: int = 0) -> Any:
        kept.append(try_allocate(self, spec, priority))
        return kept[-1]

    monkeypatch.setattr(StateManager, "try_allocate", remember)
    assert any("are still alive" in failure for failure in mutant("leak"))


def test_a_manager_that_keeps_snapshots_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Snapshot, "drop", lambda _: None)
    assert any("does not fit" in failure for failure in mutant("leak"))
