"""Recycled slots are zero everywhere, and a manager that does not zero them is found out."""

import pytest

from ferrum_cli.live.layout._storage import Storage
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("recycled-slot") == ()


def test_a_manager_that_does_not_zero_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Storage, "zero", lambda *_: None)
    assert any("is not zero" in failure for failure in mutant("recycled-slot"))
