"""Duplicates are refused everywhere, and a manager that lets the second in is found out."""

from typing import Any

import pytest

from ferrum_cli.live.manager import StateManager
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("duplicate-id") == ()


def test_a_manager_that_replaces_the_first_state_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    try_allocate = StateManager.try_allocate

    def replace(self: StateManager, spec: Any, priority: int = 0) -> Any:
        self.deallocate_now(spec.request_id)
        return try_allocate(self, spec, priority)

    monkeypatch.setattr(StateManager, "try_allocate", replace)
    assert any("was not refused" in failure for failure in mutant("duplicate-id"))
