"""`ferrum stats` on run reports, as a user runs it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.contract import RecurrentStateHandleStats, RecurrentStateManagerStats
from tests.running import ferrum

HANDLE = {
    "request_id": "00000000-0000-4000-8000-000000000000",
    "cache_id": "abc-1",
    "device": {"CUDA": 0},
    "num_layers": 48,
    "state_bytes": 77_266_944,
    "is_valid": True,
    "stats": {
        "memory_bytes": 77_266_944,
        "state_tensors": 72,
        "batch_slots": 1,
        "seconds_since_last_access": 0.25,
    },
}
RUN: dict[str, Any] = {
    "schema": "ferrum.run/1",
    "model": "qwen3-next-80b-a3b",
    "device": "simulated",
    "manager": {
        "total_memory_bytes": 2 * 77_266_944,
        "used_memory_bytes": 77_266_944,
        "active_states": 1,
        "active_state_tensors": 72,
        "total_batch_slots": 2,
        "used_batch_slots": 1,
        "allocation_count": 3,
        "allocation_failures": 4,
        "eviction_count": 5,
    },
    "handles": [HANDLE],
}


def written(path: Path, data: object) -> str:
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


def test_every_field_of_the_contract_is_shown(tmp_path: Path) -> None:
    text = ferrum("stats", written(tmp_path / "run.json", RUN)).stdout
    assert text.startswith("1 live states use 1 of 2 slots of qwen3-next-80b-a3b on simulated.")
    for field in fields(RecurrentStateManagerStats):
        assert field.name in text
    for field in fields(RecurrentStateHandleStats):
        name = field.name.replace("last_access", "seconds_since_last_access")
        assert name in text
    for name in ("request_id", "cache_id", "device", "num_layers", "state_bytes", "is_valid"):
        assert name in text
    assert "cuda:0" in text


def test_as_json_the_figures_are_exact(tmp_path: Path) -> None:
    outcome = ferrum("stats", written(tmp_path / "run.json", RUN), "--format", "json")
    data = json.loads(outcome.stdout)
    assert data["schema"] == "ferrum.stats/1"
    assert data["manager"] == RUN["manager"]
    assert data["handles"] == [HANDLE]


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(RUN))
    change(data)
    return data


# what is wrong with the report, and what is said
REFUSED = [
    ("another schema", lambda d: d.update(schema="ferrum.plan/1"), "is no run report"),
    ("no manager", lambda d: d.update(manager=None), "holds no statistics"),
    ("a manager's field", lambda d: d["manager"].pop("eviction_count"), "missing field"),
    (
        "a manager's number",
        lambda d: d["manager"].update(active_states=-1),
        "manager.active_states",
    ),
    ("handles", lambda d: d.update(handles={}), "handles: expected an array"),
    ("a handle's field", lambda d: d["handles"][0].pop("cache_id"), "handles[0]: expected the"),
    ("a handle's stats", lambda d: d["handles"][0].update(stats=3), "handles[0].stats"),
    ("a request id", lambda d: d["handles"][0].update(request_id="x"), "handles[0].request_id"),
    ("a device", lambda d: d["handles"][0].update(device="GPU"), "handles[0].device"),
]


@pytest.mark.parametrize(("what", "change", "words"), REFUSED)
def test_a_report_that_is_not_one_is_refused_with_its_place(
    tmp_path: Path, what: str, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    del what  # it names the case
    path = written(tmp_path / "run.json", changed(change))
    outcome = ferrum("stats", path)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith(f"ferrum: {path}: ")
    assert words in outcome.stderr
    assert outcome.stdout == ""


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b"[" * 100_000])
def test_a_file_that_is_no_json_object_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(content)
    assert ferrum("stats", str(path)).exit_code == 2


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", tmp_path / "missing"):
        outcome = ferrum("stats", str(path))
        assert outcome.exit_code == 2
        assert str(path) in outcome.stderr


def test_it_needs_no_torch(tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", RUN)
    probe = (
        "import sys\n"
        "from ferrum_cli.app import app\n"
        "from typer.testing import CliRunner\n"
        f"assert CliRunner().invoke(app, ['stats', {path!r}]).exit_code == 0\n"
        "print(sorted({'torch', 'asyncio', 'numpy'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the extra 'live'")
def test_what_allocate_writes_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    ferrum("allocate", "lfm2-2.6b", "--requests", "3", "--device", "simulated", "-o", str(path))
    data = json.loads(ferrum("stats", str(path), "--format", "json").stdout)
    run = json.loads(path.read_text(encoding="utf-8"))
    assert (data["manager"], data["handles"]) == (run["manager"], run["handles"])
    assert len(data["handles"]) == 3
