"""Cancellation leaves nothing behind anywhere, and a manager that undoes nothing is found out."""

import pytest

from ferrum_cli.live.manager.moves import Moves
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("cancel") == ()


def test_a_manager_that_does_not_undo_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Moves, "undo", lambda *_: None)
    failures = mutant("cancel")
    assert any("I10: allocate, evicting" in failure for failure in failures)
    assert any("I8" in failure for failure in failures)
