"""States that wait in files."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from ferrum_cli.errors import (
    AlreadyExists,
    EnvironmentFailure,
    ResourceExhausted,
    SnapshotRefused,
    StateError,
    UnknownRequest,
)
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.resume.snapshot import SnapshotOnPreempt
from ferrum_cli.live.spill import FailingFiles, SnapshotFolder
from tests.live.stations import evicting, run


def host_bytes_used(s: Station) -> int:
    assert isinstance(s.resume, SnapshotOnPreempt)
    return s.resume.staging.used_bytes


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def swapped(s: Station, number: int = 0, slots: int = 1) -> None:
    """Allocate, feed and evict a request."""
    s.feed(await s.manager.allocate(s.spec(number, slots=slots)), 7)
    await s.manager.evict(s.request(number))


def test_a_spilled_state_frees_host_memory_and_comes_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await swapped(s, slots=2)
            assert host_bytes_used(s) == 2048
            await s.manager.spill(s.request(0), SnapshotFolder(tmp_path))
            assert host_bytes_used(s) == 0
            assert len(files_in(tmp_path)) == 1
            back = await s.manager.resume(s.request(0))
            assert s.mismatch(back) is None
            assert files_in(tmp_path) == []
            assert host_bytes_used(s) == 0
            assert s.auditor.check() == []

    run(scenario())


def test_a_spilled_state_that_is_deallocated_leaves_no_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await swapped(s)
            await s.manager.spill(s.request(0), SnapshotFolder(tmp_path))
            await s.manager.deallocate(s.request(0))
            assert files_in(tmp_path) == []

    run(scenario())


def test_a_damaged_file_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await swapped(s)
            await s.manager.spill(s.request(0), SnapshotFolder(tmp_path))
            [path] = files_in(tmp_path)
            good = path.read_bytes()
            path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
            with pytest.raises(SnapshotRefused, match="damaged bytes in slot0"):
                await s.manager.resume(s.request(0))
            assert s.manager.is_swapped(s.request(0))
            assert host_bytes_used(s) == 0
            assert s.auditor.check() == []
            path.write_bytes(good)
            assert s.mismatch(await s.manager.resume(s.request(0))) is None

    run(scenario())


def test_a_spill_that_fails_keeps_the_snapshot_in_memory(tmp_path: Path) -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await swapped(s)
            full = SnapshotFolder(tmp_path, FailingFiles(3, OSError(errno.ENOSPC, "No space")))
            with pytest.raises(EnvironmentFailure, match="No space"):
                await s.manager.spill(s.request(0), full)
            assert files_in(tmp_path) == []
            assert s.mismatch(await s.manager.resume(s.request(0))) is None
            assert s.auditor.check() == []

    run(scenario())


def test_what_holds_no_host_memory_is_not_spilled(tmp_path: Path) -> None:
    async def scenario() -> None:
        folder = SnapshotFolder(tmp_path)
        with evicting(2, "recompute") as s:
            await swapped(s)
            with pytest.raises(StateError, match="holds no host memory"):
                await s.manager.spill(s.request(0), folder)
            with pytest.raises(UnknownRequest):
                await s.manager.spill(s.request(5), folder)
            assert s.mismatch(await s.manager.resume(s.request(0))) is None

    run(scenario())


def test_without_host_memory_to_read_into_the_file_stays(tmp_path: Path) -> None:
    async def scenario() -> None:
        with evicting(2, host_bytes=1024) as s:
            await swapped(s)
            await s.manager.spill(s.request(0), SnapshotFolder(tmp_path))
            await swapped(s, 1)
            with pytest.raises(ResourceExhausted, match="no host memory is left"):
                await s.manager.resume(s.request(0))
            await s.manager.deallocate(s.request(1))
            assert s.mismatch(await s.manager.resume(s.request(0))) is None

    run(scenario())


def test_a_state_being_spilled_is_not_resumed_and_can_be_deallocated(tmp_path: Path) -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await swapped(s)
            task = asyncio.ensure_future(s.manager.spill(s.request(0), SnapshotFolder(tmp_path)))
            await asyncio.sleep(0)
            with pytest.raises(AlreadyExists):
                await s.manager.resume(s.request(0))
            await s.manager.deallocate(s.request(0))
            await asyncio.gather(task, return_exceptions=True)
            assert files_in(tmp_path) == []
            assert host_bytes_used(s) == 0
            assert s.auditor.check() == []

    run(scenario())


def test_a_cancelled_spill_leaves_no_file_and_keeps_the_snapshot(tmp_path: Path) -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await swapped(s)
            task = asyncio.ensure_future(s.manager.spill(s.request(0), SnapshotFolder(tmp_path)))
            await asyncio.sleep(0)
            task.cancel()
            assert isinstance(
                (await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError
            )
            assert files_in(tmp_path) == []
            assert s.mismatch(await s.manager.resume(s.request(0))) is None
            assert s.auditor.check() == []

    run(scenario())
