"""`ferrum plan` as a user runs it: answers on stdout, errors on stderr, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrum_cli.describe.source import read_model
from ferrum_cli.describe.yaml_file.writer import to_yaml
from tests.models import described
from tests.running import Outcome, ferrum

MODEL = "qwen3-next-80b-a3b"


def run(*args: str) -> Outcome:
    return ferrum("plan", *args)


def planned(*args: str) -> dict[str, object]:
    result = run(*args, "--format", "json")
    assert result.exit_code in (0, 1), result.output
    found: dict[str, object] = json.loads(result.stdout)
    return found


def test_a_shipped_model_is_planned_as_recorded(golden: Callable[[str, str], None]) -> None:
    result = run(MODEL, "--memory", "200GiB", "--context", "128k", "--requests", "8")
    assert result.exit_code == 0
    assert result.stderr == ""
    golden("commands/plan.txt", result.stdout)


def test_the_help_is_as_recorded(golden: Callable[[str, str], None]) -> None:
    golden("commands/plan_help.txt", run("--help").stdout)


@pytest.mark.parametrize(("tp", "expected"), [("1", 77_266_944), ("32", 2_442_240)])
def test_bytes_per_slot_of_qwen3_next(tp: str, expected: int) -> None:
    assert planned(MODEL, "--tp", tp)["state"]["bytes_per_slot"] == expected  # type: ignore[index]


def test_a_yaml_file_and_the_shipped_name_give_the_same_plan(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(to_yaml(read_model(MODEL)))
    assert planned(str(path)) == planned(MODEL)


def test_a_hub_id_that_is_shipped_needs_no_network() -> None:
    assert planned("Qwen/Qwen3-Next-80B-A3B-Instruct") == planned(MODEL)


def test_several_models_are_a_comparison_and_a_list() -> None:
    result = run(MODEL, MODEL)
    assert result.stdout.startswith("2 plans side by side.")
    assert len(json.loads(run(MODEL, MODEL, "--format", "json").stdout)) == 2


@pytest.mark.parametrize(
    ("args", "code", "verdict"),
    [
        (["--budget", "200GiB"], 0, "fits"),
        (["--budget", "10GiB"], 1, "does_not_fit"),
        (["--memory", "10GiB"], 0, "does_not_fit"),
        (["--memory", "200GiB"], 0, "fits"),
        ([], 0, "unknown"),
    ],
)
def test_only_a_broken_budget_exits_with_one(args: list[str], code: int, verdict: str) -> None:
    result = run(MODEL, *args, "--format", "json")
    assert result.exit_code == code
    assert json.loads(result.stdout)["verdict"] == verdict


def test_a_broken_budget_says_by_how_much_and_what_would_hold() -> None:
    result = run(MODEL, "--budget", "150GiB", "--requests", "2", "--quiet")
    assert "exceeded by" in result.stdout
    assert "it holds with --context" in result.stdout.replace("\n", " ")


def test_further_formats_go_to_files_and_stdout_keeps_its_own(tmp_path: Path) -> None:
    plan, table = tmp_path / "plan.json", tmp_path / "table.out"
    result = run(MODEL, "-o", str(plan), "-o", f"csv={table}", "--format", "markdown")
    assert result.exit_code == 0
    assert result.stdout.startswith("**")
    assert json.loads(plan.read_text())["model"]["name"] == MODEL
    assert table.read_text().startswith("line,bytes,share,how\n")


def test_explain_adds_the_figure_with_formula_and_source() -> None:
    assert "36 conv_state × 8192·3 × 2 B" in run(MODEL, "--explain", "bytes_per_slot").stdout


BAD = [
    (["--tp", "3"], 2, "--tp: 32 heads of recurrent state do not divide by 3 ranks"),
    (["--tp", "1000000"], 2, "--tp: "),
    (["--tp", "0"], 2, "--tp: '0' is no whole number"),
    (["--tp", "-1"], 2, "--tp: '-1' is no whole number"),
    (["--tp", "1.5"], 2, "--tp: '1.5'"),
    (["--tp", "٣"], 2, "--tp: '٣'"),
    (["--pp", "49"], 2, "--pp: 49 pipeline stages for 48 layers"),
    (["--dp", "x"], 2, "--dp: 'x'"),
    (["--requests", "0"], 2, "--requests: '0'"),
    (["--requests", "9" * 5000], 2, "--requests: "),
    (["--context", "0"], 2, "--context: '0' is no context"),
    (["--context", "128K"], 2, "--context: '128K'"),
    (["--context", "1e5"], 2, "--context: '1e5'"),
    (["--memory", "80 GB"], 2, "--memory: '80 GB'"),
    (["--memory", "٣GiB"], 2, "--memory: '٣GiB'"),
    (["--memory", "nan"], 2, "--memory: 'nan'"),
    (["--memory", "1e999GiB"], 2, "--memory: '1e999GiB'"),
    (["--memory", "0"], 2, "--memory: '0' is less than 1 bytes"),
    (["--budget", "-1"], 2, "--budget: '-1'"),
    (["--overhead", ""], 2, "--overhead: ''"),
    (["--engine", "natve"], 2, "--engine: unknown engine 'natve'; did you mean 'native'?"),
    (["--engine", "../native"], 2, "--engine: unknown engine"),
    (["--set", "x=1"], 2, "--set: unknown option 'x'; this engine has no options"),
    (["--set", "x"], 2, "--set: 'x' is no KEY=VALUE"),
    (["--format", "jsn"], 2, "--format: unknown format 'jsn'"),
    (["--color", "red"], 2, "--color: 'red'"),
    (["-o", "plan"], 2, "-o: cannot tell the format of 'plan'"),
    (["-o", "json="], 2, "-o: 'json=' names no file"),
    (["-o", "/nowhere/plan.json"], 4, "/nowhere/plan.json: cannot write"),
    (["--explain", "bytes"], 2, "--explain: unknown figure 'bytes'"),
    (["--no-such-flag"], 2, "No such option"),
]


@pytest.mark.parametrize(("args", "code", "message"), BAD)
def test_a_bad_option_is_one_located_message_and_nothing_on_stdout(
    args: list[str], code: int, message: str
) -> None:
    result = run(MODEL, *args)
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("qwen3-nxt-80b", "did you mean 'qwen3-next-80b-a3b'?"),
        ("missing.yaml", "missing.yaml"),
        ("missing.json", "missing.json"),
        ("./nowhere/at/all", "nowhere/at/all"),
        ("model.gguf", "model.gguf"),
        ("", "MODEL: an empty name"),
    ],
)
def test_a_model_that_is_not_there_is_refused(model: str, message: str) -> None:
    result = run(model)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr


def test_no_model_at_all_is_refused() -> None:
    result = run()
    assert result.exit_code == 2
    assert "MODEL" in result.stderr


def test_nothing_is_written_when_the_input_is_bad(tmp_path: Path) -> None:
    target = tmp_path / "plan.json"
    assert run(MODEL, "--tp", "3", "-o", str(target)).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_small_description_is_planned_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(to_yaml(described()))
    assert planned(str(path), "--memory", "1GiB")["verdict"] == "fits"
