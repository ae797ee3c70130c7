"""Rejected drafts leave no trace anywhere, and a rollback that does nothing is found out."""

import pytest

from ferrum_cli.live.checkpoints import Checkpoints
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("draft-rollback") == ()


def test_a_rollback_that_leaves_the_state_of_the_draft_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(*_: object) -> None:
        """The result of a refused rollback, ignored."""

    monkeypatch.setattr(Checkpoints, "_copy_back", nothing)
    assert any("wrong state" in failure for failure in mutant("draft-rollback"))
