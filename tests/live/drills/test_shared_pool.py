"""Shared budgets starve nobody anywhere, and one that asks its own side alone is found out."""

import pytest

from ferrum_cli.live.manager import StateHandle
from ferrum_cli.live.manager.room import Lack
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("shared-pool") == ()


def test_a_manager_that_evicts_only_its_own_kind_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def own_kind(self: Lack, handle: StateHandle, *, places_first: bool) -> bool:
        del places_first
        return handle.storage is self.storage

    monkeypatch.setattr(Lack, "would_shrink", own_kind)
    assert any("starved" in failure for failure in mutant("shared-pool"))
