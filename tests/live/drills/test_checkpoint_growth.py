"""Checkpoints stay within their bytes everywhere, and a cap by number is found out."""

import pytest

from ferrum_cli.live.checkpoints import Checkpoint, Checkpoints
from ferrum_cli.live.manager import StateHandle
from ferrum_cli.live.resume.snapshot import SnapshotOnPreempt
from tests.live.drills.conftest import Trial

MOST = 32


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("checkpoint-growth") == ()


def test_checkpoints_that_are_capped_by_number_are_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def save(self: Checkpoints, handle: StateHandle, position: int) -> None:
        size = handle.storage.layout.stride_bytes * len(handle.slots)
        own = SnapshotOnPreempt(self._device, size)
        self._kept.append(Checkpoint(handle, position, own.save(handle)))
        del self._kept[:-MOST]

    monkeypatch.setattr(Checkpoints, "save", save)
    assert any("checkpoints hold" in failure for failure in mutant("checkpoint-growth"))
