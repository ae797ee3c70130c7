"""Damaged snapshots are refused everywhere, and a reader that does not check is found out."""

import pytest

from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("snapshot-damage") == ()


def test_a_manager_that_does_not_check_digests_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ferrum_cli.live.spill.folder._digester", lambda: lambda _: "0")
    assert any("was not refused" in failure for failure in mutant("snapshot-damage"))
