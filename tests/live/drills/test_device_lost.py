"""A lost device fails everything at once everywhere; a manager that asks it again is found out."""

import pytest

from ferrum_cli.live.manager.admission import Admission
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("device-lost") == ()


def test_a_manager_that_asks_a_lost_device_again_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Admission, "check_device", lambda _: None)
    assert any("was asked again" in failure for failure in mutant("device-lost"))
