"""Oversubscription holds everywhere and under every policy, and finds a state in the wrong slot."""

import pytest

from ferrum_cli.live.policies import policies
from ferrum_cli.live.resume.snapshot import Snapshot
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("oversubscribe") == ()


@pytest.mark.parametrize("policy", [name for name in policies() if name != "none"])
@pytest.mark.parametrize("resume", ["snapshot", "recompute", "auto"])
def test_it_holds_under_every_policy_and_way_of_resuming(
    mutant: Trial, policy: str, resume: str
) -> None:
    assert mutant("oversubscribe", eviction=policy, resume=resume) == ()


def test_a_manager_that_restores_into_the_wrong_slot_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    restore = Snapshot.restore
    monkeypatch.setattr(
        Snapshot,
        "restore",
        lambda self, storage, slots: restore(self, storage, [(s + 1) % 4 for s in slots]),
    )
    assert any("wrong state" in failure for failure in mutant("oversubscribe"))
