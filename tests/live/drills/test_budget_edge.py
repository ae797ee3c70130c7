"""Budgets hold to the last byte everywhere, and one that counts places alone is found out."""

import pytest

from ferrum_cli.live.manager.ledger import Ledger
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("budget-edge") == ()


def test_a_manager_that_does_not_count_bytes_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ledger, "_spare", lambda _: 0)
    failures = mutant("budget-edge")
    assert any("bytes, one too few for a fourth" in failure for failure in failures)
