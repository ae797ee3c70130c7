"""`ferrum allocate` as a user runs it."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.running import ferrum

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="needs the extra 'live'"
)

MODEL = "qwen3-next-80b-a3b"
SMALL = "lfm2-2.6b"
SLOT = 77_266_944


def run(*arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON of a run."""
    outcome = ferrum("allocate", *arguments, "--format", "json")
    assert outcome.stderr == ""
    return outcome.exit_code, json.loads(outcome.stdout)


def checks(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in data["checks"]}


@pytest.mark.parametrize("layout", ["arena", "layer-major", "per-tensor"])
@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_state_takes_exactly_the_estimate(device: str, layout: str) -> None:
    code, data = run(MODEL, "--requests", "2", "--device", device, "--layout", layout)
    found = checks(data)
    assert code == 0
    assert data["verdict"] == "holds"
    assert data["estimate"] == {
        "bytes_per_slot": SLOT,
        "bytes_per_request": SLOT,
        "bytes": 2 * SLOT,
        "requests_at_once": 2,
    }
    assert found["ledger"]["measured"] == 2 * SLOT
    assert found["requested bytes"]["difference"] == 0
    assert found["one request more"]["measured"] == "refused"
    assert found["requested bytes after closing"]["measured"] == 0
    assert ("reserved bytes" in found) == (device == "simulated")
    assert ("resident set" in found) == (device == "cpu")


@pytest.mark.skipif(
    "MemAvailable" not in Path("/proc/meminfo").read_text(encoding="ascii")
    or os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 6 * 2**30,
    reason="needs 6 GiB of free memory",
)
def test_thirty_two_requests_of_qwen3_next_take_the_estimate_and_give_it_back() -> None:
    code, data = run(MODEL, "--requests", "32", "--device", "cpu")
    found = checks(data)
    assert code == 0
    assert found["ledger"]["measured"] == 32 * SLOT == 2_472_542_208
    assert found["ledger after release"]["measured"] == 0
    assert found["resident set"]["verdict"] == "holds"
    assert found["resident set released"]["verdict"] == "holds"
    assert found["requested bytes after closing"]["measured"] == 0


def test_slots_are_of_each_request_and_the_manager_counts_them() -> None:
    code, data = run(SMALL, "--requests", "3", "--slots", "4", "--device", "simulated")
    assert code == 0
    assert data["manager"]["total_batch_slots"] == 12
    assert data["manager"]["used_batch_slots"] == 12
    assert {handle["stats"]["batch_slots"] for handle in data["handles"]} == {4}


def test_a_rank_takes_its_share() -> None:
    _, whole = run(MODEL, "--device", "simulated")
    _, rank = run(MODEL, "--device", "simulated", "--tp", "4", "--pp", "2")
    # 18 of 36 layers, 8 of 32 value heads and 4 of 16 key heads.
    assert rank["estimate"]["bytes_per_slot"] * 8 == whole["estimate"]["bytes_per_slot"]


def test_a_budget_that_is_too_small_is_exit_1_and_says_what_fits() -> None:
    code, data = run(MODEL, "--requests", "3", "--budget", "160MB", "--device", "simulated")
    assert code == 1
    assert data["verdict"] == "fails"
    assert data["estimate"]["requests_at_once"] == 2
    assert data["manager"]["total_memory_bytes"] == 160_000_000
    assert checks(data)["one request more"]["measured"] == "refused"


def test_a_budget_for_not_even_one_allocates_nothing() -> None:
    code, data = run(MODEL, "--budget", "1MB", "--device", "simulated")
    assert (code, data["checks"], data["manager"], data["handles"]) == (1, [], None, [])


@pytest.mark.parametrize("resume", ["snapshot", "recompute", "auto"])
@pytest.mark.parametrize("policy", ["lru", "largest", "oldest", "priority"])
def test_with_a_policy_requests_take_turns_within_the_budget(policy: str, resume: str) -> None:
    code, data = run(
        *(SMALL, "--requests", "5", "--budget", "400KB", "--device", "cpu"),
        *("--policy", policy, "--resume", resume),
    )
    assert code == 0
    assert data["estimate"]["requests_at_once"] == 2
    assert checks(data)["states that came back wrong"]["measured"] == 0
    assert data["manager"]["eviction_count"] > 0
    assert any(note.startswith("auto: the break-even") for note in data["notes"]) == (
        resume == "auto"
    )


def test_drills_are_run_by_name_on_the_model_scaled_down() -> None:
    code, data = run(
        *(MODEL, "--device", "simulated", "--drill", "churn", "--drill", "budget-edge"),
        *("--seed", "7"),
    )
    assert code == 0
    assert [drill["name"] for drill in data["drills"]] == ["churn", "budget-edge"]
    assert all(drill["passed"] and drill["seed"] == 7 for drill in data["drills"])
    assert data["drilled_at"]["scaled"]
    assert data["drilled_at"]["bytes_per_slot"] <= 4 * 2**20
    text = ferrum("allocate", MODEL, "--device", "simulated", "--drill", "budget-edge").stdout
    assert "scaled-down" in text


@pytest.mark.parametrize("recurrence", ["exact", "mixer"])
def test_drills_run_with_either_recurrence(recurrence: str) -> None:
    code, data = run(
        *("jet-nemotron-2b", "--device", "cpu", "--recurrence", recurrence),
        *("--drill", "oversubscribe", "--drill", "preempt-resume"),
    )
    assert code == 0
    assert data["recurrence"] == recurrence


def test_drills_at_full_size_are_not_scaled() -> None:
    code, data = run(SMALL, "--device", "cpu", "--drill", "recycled-slot", "--full")
    assert code == 0
    assert not data["drilled_at"]["scaled"]


def test_every_figure_is_measured_against_its_limit() -> None:
    code, data = run(SMALL, "--device", "cpu", "--measure")
    assert code == 0
    figures = {figure["name"]: figure for figure in data["measure"]}
    assert set(figures) == {
        *("allocate_deallocate", "allocate_deallocate_awaited", "touch", "evict_allocate"),
        *("stats", "zero", "snapshot", "restore", "recompute", "break_even_tokens"),
        *("overhead_arena", "overhead_layer_major", "overhead_per_tensor"),
    }
    for name, figure in figures.items():
        assert set(figure) == {"name", "value", "unit", "limit", "ratio"}
        if name == "break_even_tokens":
            assert figure["limit"] is None
        else:
            assert figure["ratio"] == pytest.approx(figure["value"] / figure["limit"])


def test_copies_are_not_timed_on_a_simulated_device() -> None:
    _, data = run(SMALL, "--device", "simulated", "--measure")
    assert "snapshot" not in {figure["name"] for figure in data["measure"]}
    assert any("not timed on a simulated device" in note for note in data["notes"])


# arguments, exit code, what the one line says
REFUSED = [
    (("no-such-model",), 2, "MODEL"),
    (("llama-3.1-8b",), 2, "MODEL: llama-3.1-8b keeps no recurrent state"),
    ((SMALL, "--requests", "0"), 2, "--requests: '0' is no whole number"),
    ((SMALL, "--slots", "x"), 2, "--slots: 'x' is no whole number"),
    ((SMALL, "--budget", "16 GiB"), 2, "--budget: '16 GiB' is no amount of bytes; write 16GiB"),
    ((SMALL, "--device", "gpu"), 2, "--device: unknown device 'gpu'"),
    ((SMALL, "--layout", "arenas"), 2, "did you mean 'arena'"),
    ((SMALL, "--policy", "lfu"), 2, "--policy: unknown policy 'lfu'"),
    ((SMALL, "--resume", "snapshots"), 2, "--resume: 'snapshots' is none of"),
    ((SMALL, "--recurrence", "float"), 2, "--recurrence: 'float' is none of"),
    ((SMALL, "--drill", "churm"), 2, "--drill: unknown drill 'churm'; did you mean 'churn'"),
    ((SMALL, "--seed", "-1"), 2, "--seed: '-1' is no whole number"),
    ((SMALL, "--format", "xml"), 2, "--format: unknown format 'xml'"),
    ((MODEL, "--tp", "64"), 2, "--tp: 32 heads of recurrent state do not divide by 64"),
    ((MODEL, "--requests", "2000", "--device", "simulated"), 4, "do not fit into the 80.00 GiB"),
    ((MODEL, "--requests", "1000000", "--device", "cpu"), 4, "that are free on cpu"),
]


@pytest.mark.parametrize(("arguments", "code", "words"), REFUSED)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: tuple[str, ...], code: int, words: str
) -> None:
    outcome = ferrum("allocate", *arguments)
    assert outcome.exit_code == code
    assert words in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert outcome.stdout == ""


def test_a_missing_gpu_is_the_environments_fault() -> None:
    outcome = ferrum("allocate", SMALL, "--device", "cuda:7")
    assert outcome.exit_code == 4
    assert "--device: there is no" in outcome.stderr


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, package=None: None if name == "torch" else find(name, package),
    )
    outcome = ferrum("allocate", SMALL)
    assert outcome.exit_code == 4
    assert "pip install 'ferrum-cli[live]'" in outcome.stderr


def test_the_verdict_table_stands_under_the_answer() -> None:
    text = ferrum("allocate", SMALL, "--device", "simulated").stdout
    first, *_ = text.splitlines()
    assert first.startswith("1 request of lfm2-2.6b, 176.00 KiB on simulated: all ")
    assert "one request more" in text
    assert "one segment of 2.00 MiB, the least that torch reserves" in text
    quiet = ferrum("allocate", SMALL, "--device", "simulated", "--quiet").stdout
    assert quiet == f"{first}\n"


def test_a_run_report_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    outcome = ferrum("allocate", SMALL, "--device", "simulated", "-o", str(path), "--quiet")
    assert outcome.exit_code == 0
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == "ferrum.run/1"


def test_the_same_seed_gives_the_same_report() -> None:
    def facts() -> dict[str, Any]:
        _, data = run(SMALL, "--device", "simulated", "--drill", "churn")
        for drill in data["drills"]:
            del drill["seconds"]
        del data["handles"]
        return data

    assert facts() == facts()


@pytest.mark.parametrize("delay_s", [0.0, 0.3, 2.0])
def test_an_interrupt_ends_a_run_without_a_traceback(delay_s: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ferrum_cli", "allocate", MODEL, "--drill", "all", "--full"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # While torch is being loaded, and in the middle of the work.
    while process.poll() is None and not _has_loaded_torch(process.pid):
        time.sleep(0.02)
    time.sleep(delay_s)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == ""
    assert "Traceback" not in stderr


def _has_loaded_torch(pid: int) -> bool:
    try:
        return "libtorch_cpu" in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    except OSError:
        return False
