"""`ferrum plan` of a GGUF file: by every engine, split or whole, with and without tensors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gguf_files import MODELS, Tensors, size_of, split, write_model
from tests.running import ferrum

QWEN = MODELS["mini-qwen3.5-4b-L8"]
TENSORS: Tensors = {
    "token_embd.weight": ("Q4_K", (2560, 1024)),
    "output_norm.weight": ("F32", (2560,)),
    **{f"blk.{i}.ffn_up.weight": ("Q8_0", (2560, 9216)) for i in range(8)},
}


def plan(path: Path, *args: str, exit_code: int = 0) -> dict[str, Any]:
    outcome = ferrum("plan", str(path), *args, "--format", "json")
    assert outcome.exit_code == exit_code, outcome.output
    found: dict[str, Any] = json.loads(outcome.stdout)
    return found


@pytest.mark.parametrize("engine", ["native", "vllm", "sglang", "transformers", "llama.cpp"])
def test_every_engine_plans_a_file(tmp_path: Path, engine: str) -> None:
    path = write_model(tmp_path / "m.gguf", QWEN, TENSORS)
    found = plan(path, "--engine", engine)
    assert found["engine"]["name"] == engine
    assert found["weights"]["bytes"] > 0
    assert "tensor table" in found["weights"]["source"]


def test_weights_are_those_of_the_tensors(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.gguf", QWEN, TENSORS)
    found = plan(path, "--engine", "native", "--memory", "8GiB")
    assert found["weights"]["bytes"] == sum(size_of(*row) for row in TENSORS.values())
    assert found["verdict"] == "fits"


def test_a_file_without_tensors_is_planned_with_unknown_weights(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.gguf", QWEN)
    found = plan(path, "--engine", "llama.cpp", "--memory", "80GiB", "--context", "4096")
    assert found["weights"]["bytes"] is None
    assert found["weights"]["bytes_per_rank"] is None
    assert found["verdict"] == "unknown"
    assert found["engine"]["layout"]["rs_bytes_S"] > 0


def test_what_a_file_leaves_open_is_said(tmp_path: Path) -> None:
    found = plan(write_model(tmp_path / "m.gguf", QWEN), "--engine", "llama.cpp")
    said = [f["message"] for f in found["findings"] if f["code"] == "assumed"]
    assert any("but also Qwen3_5ForCausalLM" in text for text in said)
    assert any("bfloat16 is assumed" in text for text in said)


@pytest.mark.parametrize("number", [1, 2])
def test_any_part_of_a_split_model_is_the_model(tmp_path: Path, number: int) -> None:
    names = list(TENSORS)
    for part, kept in enumerate((names[:4], names[4:])):
        metadata = (QWEN if part == 0 else {}) | split(part, 2, len(TENSORS))
        tensors = {name: TENSORS[name] for name in kept}
        write_model(tmp_path / f"m-{part + 1:05}-of-00002.gguf", metadata, tensors)
    found = plan(tmp_path / f"m-0000{number}-of-00002.gguf", "--engine", "native")
    assert found["weights"]["bytes"] == sum(size_of(*row) for row in TENSORS.values())


def test_the_table_shows_the_host_apart_and_unknown_weights_as_such(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.gguf", QWEN)
    shown = ferrum("plan", str(path), "--engine", "llama.cpp", "--memory", "80GiB").stdout
    assert "Host memory" in shown
    assert "context checkpoints, at most" in shown
    assert "weights-unknown" in shown
