"""Drained pools take as much again everywhere, and one that loses slots at a reset is found out."""

import pytest

from ferrum_cli.live.manager import StatePool
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("drain-refill") == ()


def test_a_manager_that_loses_its_slots_at_a_reset_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StatePool, "reset", lambda *_, **__: None)
    assert any("not empty" in failure for failure in mutant("drain-refill"))
