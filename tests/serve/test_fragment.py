"""Flags without a command: their names tell the engine."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.reading import read


@pytest.mark.parametrize(
    ("text", "engine", "options"),
    [
        ("--tensor-parallel-size 2 --max-num-seqs 4", "vllm", {"max_num_seqs": 4}),
        ("--model-path A/B --tp-size 2\n--mem-fraction-static 0.8", "sglang", {"tp_size": 2}),
        ("-m x.gguf -ngl 99 -c 8", "llama.cpp", {"ctx_size": 8}),
        ("- --max-model-len\n- '8192'\n- --enforce-eager", "vllm", {"max_model_len": 8192}),
    ],
)
def test_the_engine_is_the_one_that_knows_the_flags(
    text: str, engine: str, options: dict[str, object]
) -> None:
    command = read(text, {})
    assert command.engine == engine
    assert options.items() <= command.options.items()
    assert f"engine: only the names of the flags tell {engine}" in command.unresolved


def test_a_fragment_need_not_name_a_model() -> None:
    command = read("--mem-fraction-static 0.8 --tp-size 2", {})
    assert command.error is None
    assert command.unresolved[0] == "model_path: not in the text"


def test_variables_that_stand_beside_the_flags_are_kept() -> None:
    command = read("--tp-size 2\nSGLANG_MAMBA_SSM_DTYPE=bfloat16 X=1", {})
    assert command.environment == {"SGLANG_MAMBA_SSM_DTYPE": "bfloat16", "X": "1"}


def test_flags_of_no_engine_are_no_command() -> None:
    assert read("--nothing --of-this", {}).engine is None
