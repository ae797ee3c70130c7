"""`ferrum models` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrum_cli.describe import shipped
from tests.gguf_files import MODELS, write_model
from tests.running import Outcome, ferrum

MODEL = "qwen3-next-80b-a3b"


def run(*args: str) -> Outcome:
    return ferrum("models", *args)


def test_the_help_is_as_recorded(golden: Callable[[str, str], None]) -> None:
    golden("commands/models_help.txt", run("--help").stdout)


def test_the_list_names_every_shipped_model_with_its_figures() -> None:
    listed = json.loads(run("list", "--format", "json").stdout)
    assert [one["name"] for one in listed] == list(shipped.names())
    figures = {one["name"]: one for one in listed}[MODEL]
    assert figures["state_bytes_per_slot"] == 77_266_944
    assert figures["kv_bytes_per_token"] == 24_576
    assert figures["parameters"] == 79_674_391_296


def test_a_model_is_shown_as_recorded(golden: Callable[[str, str], None]) -> None:
    golden("commands/models_show.txt", run("show", MODEL).stdout)


def test_an_imported_model_validates_and_imports_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    assert run("import", MODEL, "-o", str(path)).exit_code == 0
    assert run("import", str(path)).stdout == path.read_text()
    result = run("validate", str(path))
    assert result.exit_code == 0
    assert "79,674,391,296 parameters (exact)" in result.stdout


def test_the_schema_is_json_that_knows_every_kind_of_block() -> None:
    schema = json.loads(run("schema").stdout)
    assert schema["$schema"].endswith("2020-12/schema")
    text = json.dumps(schema)
    assert "gated_delta_net" in text
    assert "mixture_of_experts" in text


def test_a_broken_description_is_located(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    run("import", MODEL, "-o", str(path))
    path.write_text(path.read_text().replace("hidden_size: 2048", "hidden_size: '2048'"))
    result = run("validate", str(path))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "broken.yaml:6:14" in result.stderr


def test_an_imported_gguf_file_says_what_a_description_cannot_hold(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.gguf", MODELS["qwen3.5-4b"])
    outcome = ferrum("models", "import", str(path))
    assert "hints: {full_attention_interval: 4" in outcome.stdout
    assert "gguf_architecture: qwen35" in outcome.stdout
    assert "the file's own weights are not written" in outcome.stderr


@pytest.mark.parametrize("args", [["show", "nothing"], ["import", "nothing"], ["show"]])
def test_what_is_not_there_is_refused(args: list[str]) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
