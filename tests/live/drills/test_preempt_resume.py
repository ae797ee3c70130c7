"""Preemption holds everywhere, and finds a recomputation that starts from stale state."""

from collections.abc import Sequence

import pytest

from ferrum_cli.live.device import Stream
from ferrum_cli.live.layout import Storage
from ferrum_cli.live.resume.recompute import Recipe
from ferrum_cli.live.resume.snapshot import Snapshot
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("preempt-resume") == ()


def test_a_manager_that_recomputes_over_what_the_slot_held_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def restore(self: Recipe, storage: Storage, slots: Sequence[int]) -> None:
        policy = self._policy
        tokens = policy.history(self._request_id)
        policy.device.run(
            lambda: policy.recurrence_of(storage).advance(storage, slots, tokens, 0),
            [],
            Stream.COPIES,
        )

    monkeypatch.setattr(Recipe, "restore", restore)
    assert any("wrong state" in failure for failure in mutant("preempt-resume"))


def test_a_manager_that_does_not_wait_for_the_snapshot_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Snapshot, "queued", False)
    monkeypatch.setattr("ferrum_cli.live.layout.Storage.zero", _overwrite)
    assert any("wrong state" in failure for failure in mutant("preempt-resume"))


def _overwrite(storage: Storage, slots: Sequence[int]) -> None:
    """Zero as a caller would who thinks that the copies are done."""
    for slot in slots:
        for piece in storage.pieces(slot):
            storage.device.fill(piece.region, 0, Stream.COMPUTE)
