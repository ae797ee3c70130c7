"""Churn holds everywhere, and finds a slot that is not given back."""

import pytest

from ferrum_cli.live.layout._storage import Storage
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("churn") == ()


def test_a_manager_that_forgets_the_last_of_several_slots_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    give = Storage.give
    monkeypatch.setattr(Storage, "give", lambda self, slots: give(self, list(slots)[:-1]))
    assert any("I3" in failure for failure in mutant("churn"))
