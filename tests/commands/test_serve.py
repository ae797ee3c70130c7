"""`ferrum plan --serve` and `--dry-run` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from ferrum_cli.app import app
from tests.running import Outcome, ferrum

MODEL = "Qwen/Qwen3-Next-80B-A3B-Instruct"
LINE = f"vllm serve {MODEL} -tp 4 --max-model-len 32K --port 8000 --force-eager"


def run(*args: str) -> Outcome:
    return ferrum("plan", *args)


def planned(*args: str) -> dict[str, Any]:
    result = run(*args, "--format", "json")
    assert result.exit_code in (0, 1), result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_command_line_is_planned_without_naming_a_model_or_an_engine() -> None:
    found = planned("--serve", LINE, "--memory", "80GiB")
    assert found["model"]["name"] == "qwen3-next-80b-a3b"
    assert found["engine"]["name"] == "vllm"
    assert found["parallel"] == {"tp": 4, "pp": 1, "dp": 1}
    assert found["engine"]["options"]["max_model_len"] == {"value": 32_768, "source": "flag"}


def test_a_pasted_line_and_the_same_options_give_the_same_layout() -> None:
    pasted = planned("--serve", LINE, "--memory", "80GiB")
    given = planned(
        *("qwen3-next-80b-a3b", "--engine", "vllm", "--tp", "4", "--memory", "80GiB"),
        *("--set", "max_model_len=32768", "--set", "tensor_parallel_size=4"),
    )
    assert pasted["engine"]["layout"] == given["engine"]["layout"]
    assert pasted["capacity"] == given["capacity"]


def test_an_unknown_flag_is_a_warning_and_an_ignored_one_is_told() -> None:
    findings = {f["code"]: f for f in planned("--serve", LINE)["findings"]}
    assert findings["serve-unknown-flag"]["level"] == "warning"
    assert findings["serve-unknown-flag"]["hint"] == "did you mean --enforce-eager?"
    assert findings["serve-ignored"]["message"] == "without effect on memory: port"


def test_what_stands_beside_the_line_beats_it() -> None:
    found = planned("--serve", LINE, "--tp", "2", "--set", "max_model_len=8192")
    assert found["parallel"]["tp"] == 2
    assert found["engine"]["options"]["max_model_len"]["value"] == 8192
    said = [f["message"] for f in found["findings"] if f["code"] == "serve-contradicted"]
    assert said == [
        "--tp 2 beats tensor_parallel_size 4 of the command line",
        "--set max_model_len=8192 beats max_model_len 32768 of the command line",
    ]


def test_another_engine_takes_model_and_ranks_alone() -> None:
    found = planned("--serve", LINE, "--engine", "native")
    assert (found["engine"]["name"], found["parallel"]["tp"]) == ("native", 4)
    assert "serve-other-engine" in {f["code"] for f in found["findings"]}


def test_a_model_beside_the_line_is_planned_instead() -> None:
    line = "vllm serve /models/ours -tp 2"
    assert planned("qwen3-next-80b-a3b", "--serve", line)["parallel"]["tp"] == 2


def test_the_images_version_is_planned_unless_another_is_given() -> None:
    line = f"docker run vllm/vllm-openai:v0.30.0 --model {MODEL}"
    assert planned("--serve", line)["engine"]["version"] == "0.30.0"
    assert planned("--serve", line, "--engine-version", "0.33.0")["engine"]["version"] == "0.33.0"


def test_another_engines_version_says_nothing_about_the_line() -> None:
    line = f"vllm serve {MODEL} --max-num-seqs 8"
    found = planned("--serve", line, "--engine", "sglang", "--engine-version", "0.5.23")
    assert "serve-unknown-flag" not in {finding["code"] for finding in found["findings"]}


def test_options_of_set_are_swept_over_the_line() -> None:
    result = run("--serve", LINE, "--set", "max_num_seqs=1,2", "--format", "json")
    assert len(json.loads(result.stdout)) == 2


def test_a_dry_run_shows_what_is_understood(golden: Callable[[str, str], None]) -> None:
    text = f"VLLM_USE_V2_MODEL_RUNNER=1 {LINE} --speculative-config.method mtp -dp $REPLICAS"
    result = run("--serve", text, "--dry-run")
    assert result.exit_code == 2
    assert result.stderr == ""
    golden("commands/serve_dry_run.txt", result.stdout)


def test_a_dry_run_as_json_is_the_document() -> None:
    result = run("--serve", LINE.replace(" --force-eager", ""), "--dry-run", "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "schema": "ferrum.command/1",
        "engine": "vllm",
        "model": MODEL,
        "options": {"model": MODEL, "tensor_parallel_size": 4, "max_model_len": 32_768},
        "environment": {},
        "ignored": ["port"],
        "unknown": [],
        "unresolved": [],
        "error": None,
    }


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (LINE, "unrecognized arguments: --force-eager (did you mean --enforce-eager?)"),
        ("llama-server -m x --mlock", "error: invalid argument: --mlock (now --load-mode mlock)"),
        ('vllm serve "x', "--serve:1:12: the quote is never closed (paste the whole command)"),
    ],
)
def test_a_dry_run_of_a_refused_line_prints_the_document_and_exits_2(text: str, error: str) -> None:
    result = run("--serve", text, "--dry-run", "--format", "json")
    assert (result.exit_code, result.stderr) == (2, "")
    assert json.loads(result.stdout)["error"] == error


@pytest.mark.parametrize("format_", ["table", "json", "csv", "markdown"])
def test_every_format_shows_a_text_without_a_command(format_: str) -> None:
    assert run("--serve", "echo", "--dry-run", "--format", format_).exit_code == 2


def test_a_dash_reads_standard_input() -> None:
    args = ["plan", "--serve", "-", "--dry-run", "--format", "json"]
    result = CliRunner().invoke(app, args, input=f"export X=1\n{LINE}\n")
    assert json.loads(result.stdout)["environment"] == {"X": "1"}


def test_variables_of_the_surroundings_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_RANKS", "8")
    result = run("--serve", "vllm serve x -tp $OUR_RANKS", "--dry-run", "--format", "json")
    assert json.loads(result.stdout)["options"]["tensor_parallel_size"] == 8


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Missing argument 'MODEL...'; see 'ferrum plan --help'"),
        (["--dry-run"], "--dry-run: shows what is understood of a command line; give one with"),
        (["--serve", "vllm serve"], "--serve: the command line names no model; give MODEL too"),
        (["--serve", "vllm serve /no/such"], "/no/such: no such file; check the path, or name the"),
        (["--serve", "echo"], "--serve: no command that starts vLLM, SGLang or llama.cpp; paste"),
        (["--serve", 'vllm serve "x'], "--serve:1:12: the quote is never closed; paste the whole"),
        (["--serve", "vllm serve x -tp two"], "--serve: argument --tensor-parallel-size/-tp: inv"),
    ],
)
def test_bad_input_is_one_line_with_its_place(args: list[str], message: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"ferrum: {message}")
    assert result.stderr.count("\n") == 1
