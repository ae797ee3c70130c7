"""Files of variables: what they hold, and what is guessed from them."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.dotenv import variables
from ferrum_cli.serve.reading import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1\nB=2 3\n", {"A": "1", "B": "2 3"}),
        ("# c\nexport A='1 2'\nB=\"3\" \n", {"A": "1 2", "B": "3"}),
        ("A=1 # why\nB=a#b", {"A": "1", "B": "a#b"}),
        ("A=", {"A": ""}),
        ("A=1\nvllm serve x", None),
        ("", None),
    ],
)
def test_every_line_is_a_variable(text: str, expected: dict[str, str] | None) -> None:
    assert variables(text) == expected


def test_llama_cpp_is_set_by_variables_alone() -> None:
    command = read("LLAMA_ARG_MODEL=/m/x.gguf\nLLAMA_ARG_CTX_SIZE=8192\nOTHER=1\n", {})
    assert (command.engine, command.model) == ("llama.cpp", "/m/x.gguf")
    assert command.options["ctx_size"] == 8192
    assert "ctx_size" in command.by_variable


def test_options_are_guessed_from_names_and_arguments() -> None:
    text = "VLLM_MODEL=A/B\nVLLM_ARGS=--tensor-parallel-size 2 --enforce-eager\nHF_HOME=/x"
    command = read(text, {})
    assert command.options == {"model": "A/B", "tensor_parallel_size": 2, "enforce_eager": True}
    assert command.unresolved == (
        "flags: whatever reads the variables builds them; these are guessed from variables",
    )
