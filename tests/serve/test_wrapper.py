"""A site's own scripts: what their variables say is a guess and is called one."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.reading import read


def test_variables_named_as_options_are_taken_for_them() -> None:
    text = (
        "MAX_NUM_SEQS=72 GPU_MEMORY_UTILIZATION=0.7 OTHER=1 VLLM_EXTRA_ARGS='--enforce-eager"
        " --block-size 64' ./deploy.sh model-x --engine vllm"
    )
    command = read(text, {})
    assert (command.engine, command.model, command.error) == ("vllm", None, None)
    assert command.options == {
        "max_num_seqs": 72,
        "gpu_memory_utilization": 0.7,
        "enforce_eager": True,
        "block_size": 64,
    }
    assert "OTHER" not in command.environment
    assert command.unresolved == (
        "model: ./deploy.sh chooses it",
        "flags: ./deploy.sh builds them; these are guessed from variables",
    )


def test_the_beginning_of_a_variable_names_the_engine() -> None:
    command = read("SGLANG_EXTRA_ARGS='--tp 2' run-it", {})
    assert (command.engine, command.options) == ("sglang", {"tp_size": 2})


@pytest.mark.parametrize("text", ["X=1 ./deploy.sh --engine other", "CTX_SIZE=8 ./deploy.sh"])
def test_nothing_is_guessed_where_no_engine_is_named(text: str) -> None:
    assert read(text, {}).engine is None
