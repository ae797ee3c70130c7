"""What a plan takes from a command line, and what it says about it."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.errors import UsageError
from ferrum_cli.serve.beside import Beside
from ferrum_cli.serve.planning import Served, served
from ferrum_cli.serve.reading import read


def taken(text: str, **beside: Any) -> Served:
    return served(read(text, {}), Beside(**beside))


def codes(line: Served) -> list[str]:
    return [finding.code for finding in line.findings]


def test_model_ranks_options_and_variables_are_taken() -> None:
    line = taken(
        "VLLM_USE_V2_MODEL_RUNNER=1 vllm serve A/B -tp 4 -pp 2 -dp 3 --max-model-len 12K"
        " --kv-cache-memory-bytes 3400000000 --speculative-config.method mtp --port 1"
    )
    assert (line.engine, line.model) == ("vllm", "A/B")
    assert (line.tensor_parallel, line.pipeline_parallel, line.data_parallel) == (4, 2, 3)
    values = {name: (s.value, s.source) for name, s in line.settings.items()}
    assert values["max_model_len"] == (12_288, "flag")
    assert values["kv_cache_memory_bytes"] == ([3_400_000_000], "flag")
    assert values["speculative_config"] == ({"method": "mtp"}, "flag")
    assert values["VLLM_USE_V2_MODEL_RUNNER"] == (True, "environment")
    assert "port" not in values


def test_a_length_that_memory_decides_keeps_its_word() -> None:
    assert taken("vllm serve A/B --max-model-len auto").settings["max_model_len"].value == "-1"


def test_what_a_variable_sets_has_it_as_its_source() -> None:
    line = taken("LLAMA_ARG_CTX_SIZE=4096 llama-server -m x.gguf -np 2")
    assert line.settings["ctx_size"].source == "environment"
    assert line.settings["parallel"].source == "flag"


@pytest.mark.parametrize(
    ("beside", "ranks", "message"),
    [
        ({"tensor_parallel": 8}, 8, "--tp 8 beats tensor_parallel_size 4 of the command line"),
        ({"tensor_parallel": 4}, 4, None),
        ({"assigned": {"tensor_parallel_size": "2"}}, 1, "--set tensor_parallel_size=2 beats"),
    ],
)
def test_what_stands_beside_the_line_beats_it(
    beside: dict[str, Any], ranks: int, message: str | None
) -> None:
    line = taken("vllm serve A/B -tp 4", **beside)
    assert line.tensor_parallel == ranks
    assert "tensor_parallel_size" not in line.settings
    said = [f.message for f in line.findings if f.code == "serve-contradicted"]
    assert bool(said) == (message is not None)
    assert message is None or said[0].startswith(message)


def test_the_context_beside_the_line_beats_its_length() -> None:
    line = taken("vllm serve A/B --max-model-len 8192", context=4096)
    assert "max_model_len" not in line.settings
    assert codes(line) == ["serve-contradicted"]


def test_unknown_and_ignored_flags_are_findings() -> None:
    line = taken("vllm serve A/B --force-eager --port 1 --host x")
    unknown, ignored = line.findings
    assert (unknown.level.value, unknown.code) == ("warning", "serve-unknown-flag")
    assert (unknown.message, unknown.hint) == (
        "vLLM 0.33.0 does not know --force-eager",
        "did you mean --enforce-eager?",
    )
    assert (ignored.level.value, ignored.message) == (
        "info",
        "without effect on memory: port, host",
    )


def test_a_refusal_over_a_flag_without_effect_leaves_a_plan() -> None:
    line = taken("sglang serve A/B --reasoning-parser nobody_v3 --tp 2")
    assert line.tensor_parallel == 2
    assert codes(line) == ["serve-refused", "serve-ignored"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vllm serve A/B -tp two", "argument --tensor-parallel-size/-tp: invalid int value: 'two'"),
        ("vllm serve A/B --dtype half --dtype quarter", "argument --dtype: invalid choice"),
        ("vllm serve A/B\nvllm serve C/D", "2 commands start a server"),
        ("echo", "no command that starts"),
        ("vllm serve A/B --gpu-memory-utilization 1.5", "gpu_memory_utilization is at most 1"),
    ],
)
def test_what_leaves_no_plan_is_an_error_of_use(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        taken(text)
    assert str(raised.value).startswith("--serve: ")


def test_what_is_not_set_is_told() -> None:
    line = taken("vllm serve $MODEL -tp $TP")
    assert line.model is None
    assert [f.message for f in line.findings] == ["$MODEL is not set", "$TP is not set"]
