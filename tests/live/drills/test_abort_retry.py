"""Retries never get unwritten states anywhere, and what is published too early is found out."""

import pytest

from ferrum_cli.live.checkpoints import Checkpoint, Checkpoints
from ferrum_cli.live.device import Stream
from ferrum_cli.live.manager import StateHandle
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("abort-retry") == ()


def test_checkpoints_that_are_published_before_they_are_written_are_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def save(self: Checkpoints, handle: StateHandle, position: int) -> None:
        self._kept.append(Checkpoint(handle, position, self._copies.save(handle)))
        await self._device.arrival(self._device.record(Stream.COPIES))

    monkeypatch.setattr(Checkpoints, "save", save)
    assert any("before its bytes are there" in failure for failure in mutant("abort-retry"))
