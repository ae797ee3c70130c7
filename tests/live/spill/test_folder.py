"""Snapshots in files: whole or refused, and never half."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from safetensors import safe_open

from ferrum_cli.errors import EnvironmentFailure, SnapshotRefused
from ferrum_cli.live.spill import FailingFiles, Files, SnapshotFolder
from tests.live.specs import CONV_AND_DELTA, EVERY_DTYPE, ODD, Tensors, request
from tests.live.spill.snapshots import sample

NO_SPACE = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("tensors", [CONV_AND_DELTA, EVERY_DTYPE, ODD])
def test_a_state_is_read_back_byte_for_byte(tmp_path: Path, tensors: Tensors) -> None:
    with sample(tmp_path, tensors) as s:
        s.write()
        s.read()
        assert s.is_equal()


def test_any_reader_of_safetensors_opens_a_snapshot(tmp_path: Path) -> None:
    with sample(tmp_path) as s, safe_open(s.write(), framework="pt") as file:
        names = list(file.keys())
        assert len(names) == 2 * len(CONV_AND_DELTA)
        assert file.metadata()["format"] == "ferrum.snapshot/1"
        tensor = file.get_tensor("slot1.5.layer2.delta_state")
        assert tensor.shape == (2, 4, 4)
        start = s.layout.offsets[5]
        expected = s.regions[1].tensor[start : start + 128]
        assert tensor.view(-1).view(expected.dtype).tolist() == expected.tolist()


def test_a_newer_snapshot_takes_the_place_of_the_older(tmp_path: Path) -> None:
    with sample(tmp_path) as s:
        s.write()
        s.refill(1)
        s.write()
        s.read()
        assert s.is_equal()
        assert list(tmp_path.iterdir()) == [s.path]


def test_no_space_at_any_write_leaves_the_old_snapshot_and_no_other_file(tmp_path: Path) -> None:
    with sample(tmp_path) as s:
        s.write()
        counted = FailingFiles(0, NO_SPACE)
        s.write(counted)
        assert counted.calls > 2 * len(CONV_AND_DELTA)
        s.read()
        old = [region.tensor.clone() for region in s.regions]
        for nth in range(1, counted.calls + 1):
            s.refill(nth)
            with pytest.raises(EnvironmentFailure, match="cannot write the snapshot: No space"):
                s.write(FailingFiles(nth, NO_SPACE))
            assert list(tmp_path.iterdir()) == [s.path]
        for region, content in zip(s.regions, old, strict=True):
            region.tensor.copy_(content)
        s.read()
        assert s.is_equal()


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with (
        sample(tmp_path / "gone") as s,
        pytest.raises(EnvironmentFailure, match=r"cannot write the snapshot: No such file"),
    ):
        s.write()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with sample(tmp_path) as s, pytest.raises(EnvironmentFailure, match="Permission denied"):
        s.write()
    tmp_path.chmod(0o700)


def test_a_write_that_is_told_to_stop_leaves_nothing(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with sample(tmp_path) as s:
        with pytest.raises(EnvironmentFailure, match="stopped"):
            s.folder.write(s.spec, s.layout, s.regions, stop)
        assert list(tmp_path.iterdir()) == []


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from ferrum_cli.live.spill.files import FailingFiles
    from tests.live.spill.snapshots import sample

    class Killed(FailingFiles):
        def _strike(self):
            self.calls += 1
            if self.calls == self._nth:
                os.kill(os.getpid(), signal.SIGKILL)

    with sample(Path(sys.argv[1])) as s:
        s.refill(99)
        for nth in map(int, sys.argv[2:]):
            if os.fork() == 0:
                s.write(Killed(nth, OSError()))
                os._exit(0)
            _, status = os.wait()
            print(os.waitstatus_to_exitcode(status))
"""


def test_a_process_killed_at_any_write_leaves_the_old_snapshot_or_the_new(tmp_path: Path) -> None:
    with sample(tmp_path) as s:
        counted = FailingFiles(0, NO_SPACE)
        s.write(counted)
        calls = range(1, counted.calls + 1)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path), *map(str, calls)],
            capture_output=True,
            check=True,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        assert set(done.stdout.split()) == {str(-signal.SIGKILL)}
        # Whoever opens the folder next finds no leftovers of the dead.
        SnapshotFolder(tmp_path)
        assert list(tmp_path.iterdir()) == [s.path]
        s.read()
        assert s.is_equal()


def test_leftovers_of_running_processes_are_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / f"x.safetensors.tmp-{os.getpid()}"
    foreign = tmp_path / "notes.tmp-1"
    for path in (mine, foreign):
        path.write_bytes(b"")
    SnapshotFolder(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([mine, foreign])


def test_removing_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    SnapshotFolder(tmp_path).remove(request(1))


def test_files_that_cannot_be_deleted_do_not_hide_the_first_error(tmp_path: Path) -> None:
    class Stuck(FailingFiles):
        def remove(self, path: Path) -> None:
            if path.exists():
                raise PermissionError(path)

    with sample(tmp_path) as s, pytest.raises(EnvironmentFailure, match="No space left"):
        s.write(Stuck(2, NO_SPACE))


def test_a_snapshot_is_for_its_owner_alone(tmp_path: Path) -> None:
    with sample(tmp_path) as s:
        assert s.write().stat().st_mode & 0o077 == 0
        assert isinstance(Files(), Files)


# What stands in the place of the file, and how it is refused.
PLACES = [
    ("nothing", "missing"),
    ("directory", "not-regular"),
    ("symlink", "symlink"),
    ("fifo", "not-regular"),
    ("empty", "empty"),
]


@pytest.mark.parametrize(("place", "problem"), PLACES)
def test_only_a_regular_file_is_read(tmp_path: Path, place: str, problem: str) -> None:
    with sample(tmp_path) as s:
        real = s.write().rename(tmp_path / "real")
        match place:
            case "directory":
                s.path.mkdir()
            case "symlink":
                s.path.symlink_to(real)
            case "fifo":
                os.mkfifo(s.path)
            case "empty":
                s.path.touch()
        with pytest.raises(SnapshotRefused) as refusal:
            s.read()
        assert refusal.value.problem == problem
        assert str(s.path) in str(refusal.value)
