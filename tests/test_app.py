"""Errors become exit codes in one place, for the shell and for test runners alike."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrum_cli import __version__
from ferrum_cli.errors import EnvironmentFailure, FerrumError, StateError, UsageError
from ferrum_cli.plan import several
from tests.running import ferrum

MODEL = "qwen3-next-80b-a3b"
COMMAND = [sys.executable, "-m", "ferrum_cli"]


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_args: object) -> None:
        raise error

    monkeypatch.setattr(several, "plan", fail)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("bad"), 2),
        (StateError("no"), 1),
        (EnvironmentFailure("no GPU"), 4),
        (FerrumError("root"), 2),
    ],
)
def test_an_error_has_its_exit_code_and_one_line(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    raising(monkeypatch, error)
    result = ferrum("plan", MODEL)
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("ferrum: ")
    assert result.stderr.count("\n") == 1


def test_an_interrupt_exits_with_130_and_says_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raising(monkeypatch, KeyboardInterrupt())
    result = ferrum("plan", MODEL)
    assert result.exit_code == 130
    assert result.output.strip() == ""


def test_a_defect_exits_with_three_and_keeps_the_traceback_in_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    raising(monkeypatch, ZeroDivisionError("oh"))
    result = ferrum("plan", MODEL)
    assert result.exit_code == 3
    assert "Traceback" not in result.output
    (log,) = tmp_path.glob("ferrum-*.log")
    assert str(log) in result.stderr
    assert "ZeroDivisionError: oh" in log.read_text()


def test_control_characters_in_a_message_do_not_reach_the_terminal() -> None:
    result = ferrum("plan", "\x1b[31mred")
    assert "\x1b" not in result.stderr
    assert result.exit_code == 2


def test_the_version_is_shown() -> None:
    assert ferrum("--version").stdout == f"ferrum {__version__}\n"


def test_the_help_is_as_recorded(golden: Callable[[str, str], None]) -> None:
    golden("commands/help.txt", ferrum("--help").stdout)


def test_a_reader_that_leaves_early_is_no_error() -> None:
    script = f"{sys.executable} -m ferrum_cli plan {MODEL} --format json | head -n 1"
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, text=True, check=False
    )
    assert result.stdout == "{\n"
    assert result.stderr == ""
    assert result.returncode == 0


def test_a_closed_stdout_is_no_traceback() -> None:
    result = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m ferrum_cli plan {MODEL} >&-"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_message_and_the_environments_exit_code() -> None:
    result = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m ferrum_cli plan {MODEL} >/dev/full"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 4
    assert result.stderr.count("\n") == 1
    assert "stdout: cannot write" in result.stderr


@pytest.mark.parametrize("columns", ["20", "40", "300"])
def test_a_narrow_terminal_loses_nothing_but_beauty(columns: str) -> None:
    environment = {**os.environ, "COLUMNS": columns, "PYTHONIOENCODING": "utf-8"}
    result = subprocess.run(
        [*COMMAND, "plan", MODEL], capture_output=True, text=True, check=True, env=environment
    )
    assert max(map(len, result.stdout.splitlines())) <= int(columns)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode_is_served(encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    result = subprocess.run(
        [*COMMAND, "plan", MODEL], capture_output=True, check=False, env=environment
    )
    assert result.returncode == 0
    assert b"Traceback" not in result.stderr


def test_the_same_plan_is_printed_whatever_the_hash_seed_and_the_folder(tmp_path: Path) -> None:
    outputs = {
        subprocess.run(
            [*COMMAND, "plan", MODEL, "--format", "json"],
            capture_output=True,
            check=True,
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
        for folder in (Path.cwd(), tmp_path)
    }
    assert len(outputs) == 1
