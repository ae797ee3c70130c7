"""A plan's command line is read back as what was planned."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ferrum_cli.describe.source import read_model
from ferrum_cli.engines import Machine, Setting, Settings, engine
from ferrum_cli.expand import Parallel
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.command import Written, command, flags
from tests.running import ferrum

CASES: dict[str, dict[str, Any]] = {
    "vllm": {
        "kv_cache_dtype": "fp8",
        "enable_prefix_caching": False,
        "gpu_memory_utilization": 0.95,
        "speculative_config": {"method": "mtp", "num_speculative_tokens": 2},
        "VLLM_USE_V2_MODEL_RUNNER": True,
    },
    "sglang": {
        "mamba_ssm_dtype": "bfloat16",
        "disable_radix_cache": True,
        "mem_fraction_static": 0.9,
        "SGLANG_MAMBA_CONV_DTYPE": "bfloat16",
    },
    "llama.cpp": {
        "cache_type_k": "q8_0",
        "kv_unified": True,
        "n_cpu_moe": 3,
        "tensor_split": [3.0, 1.0],
        "spec_type": ["draft-mtp"],
    },
}


def written(name: str, advised: dict[str, Any] | None = None, **options: Any) -> str:
    given = {n: Setting(v, "environment" if n.isupper() else "flag") for n, v in options.items()}
    settings = Settings(engine(name).OPTIONS, given)
    wanted = Wanted(machine=Machine(2**36), context=8192, parallel=Parallel(*RANKS[name]))
    question = plan(read_model("qwen3.5-35b-a3b"), engine(name), wanted, settings).question
    line = command(name, question, advised or {})
    assert line is not None
    return line


RANKS = {"vllm": (2, 1, 2), "sglang": (4, 1, 1), "llama.cpp": (1, 1, 1)}


@pytest.mark.parametrize("name", CASES)
def test_the_line_is_read_back_as_it_was_asked(name: str) -> None:
    line = written(name, {"ctx_size": 32_768} if name == "llama.cpp" else {}, **CASES[name])
    outcome = ferrum("plan", "--serve", line, "--dry-run", "--format", "json")
    assert outcome.exit_code == 0, outcome.output
    understood = json.loads(outcome.stdout)
    assert (understood["error"], understood["unknown"], understood["unresolved"]) == (None, [], [])
    found = understood["options"] | understood["environment"]
    for option, value in CASES[name].items():
        assert str(found[option]).lower() in (str(value).lower(), _joined(value)), option
    ranks = [found.get(n, 1) for n in ("tensor_parallel_size", "tp_size")]
    assert max(ranks) == RANKS[name][0]


def _joined(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def test_programs_and_models_are_named_as_they_are_started() -> None:
    assert written("vllm").startswith("vllm serve Qwen/Qwen3.5-35B-A3B --tensor-parallel-size 2 ")
    assert written("sglang").startswith(
        "python -m sglang.launch_server --model-path Qwen/Qwen3.5-35B-A3B --tp-size 4 "
    )
    assert written("llama.cpp", {"ctx_size": 9}) == (
        "llama-server --model qwen3.5-35b-a3b.gguf --ctx-size 9"
    )


def test_what_is_advised_beats_what_was_given() -> None:
    line = written("vllm", {"kv_cache_dtype": "fp8"}, kv_cache_dtype="auto")
    assert "--kv-cache-dtype fp8" in line
    assert "auto" not in line


def test_what_is_to_be_left_out_is_left_out() -> None:
    given = {"speculative_config": {"method": "mtp", "num_speculative_tokens": 1}}
    assert "speculative" not in written("vllm", {"speculative_config": None}, **given)


def test_an_engine_without_a_command_line_has_none() -> None:
    question = plan(read_model("qwen3-8b"), engine("native"), Wanted()).question
    assert command("native", question, {}) is None
    assert flags("native", "1", {"tp": 2}) == ()


def test_a_measured_amount_is_no_flag() -> None:
    assert "available" not in written("sglang", {}, available_gpu_memory_gib=20.0)


@pytest.mark.parametrize(
    ("name", "words", "advised", "line"),
    [
        (
            "vllm",
            "A=1 vllm serve m --port 8000 --max-num-seqs 256 --kv-cache-dtype=auto",
            {"max_num_seqs": 8, "kv_cache_dtype": "fp8"},
            (
                "A=1 vllm serve m --port 8000 --max-model-len 8192 --max-num-seqs 8"
                " --kv-cache-dtype fp8"
            ),
        ),
        (
            "vllm",
            'vllm serve m --max_num_seqs 9 --speculative-config \'{"method":"mtp"}\' --seed 1',
            {"max_num_seqs": 8, "speculative_config": None},
            "vllm serve m --seed 1 --max-model-len 8192 --max-num-seqs 8",
        ),
        (
            "vllm",
            "vllm serve m --enable-prefix-caching",
            {"enable_prefix_caching": False},
            "vllm serve m --max-model-len 8192 --no-enable-prefix-caching",
        ),
        (
            "sglang",
            "python -m sglang.launch_server --model-path m --context-length 4 --tp 4",
            {"disable_radix_cache": True},
            (
                "python -m sglang.launch_server --model-path m --context-length 8192"
                " --disable-radix-cache"
            ),
        ),
        (
            "llama.cpp",
            "llama-server -m f.gguf -c 4096 -np 2 -ctk q8_0 -fa on",
            {"ctx_size": 16_384, "parallel": 2, "cache_type_k": "q4_0"},
            "llama-server -m f.gguf -fa on --ctx-size 16384 --parallel 2 --cache-type-k q4_0",
        ),
    ],
)
def test_a_line_that_was_written_keeps_all_but_what_changes(
    name: str, words: str, advised: dict[str, Any], line: str
) -> None:
    asked = Wanted(machine=Machine(2**36), context=8192)
    question = plan(read_model("qwen3.5-35b-a3b"), engine(name), asked).question
    given = {"tp_size": Setting(4, "flag")} if name == "sglang" else {}
    question = replace(question, settings=Settings(engine(name).OPTIONS, given))
    changed = {**advised, **({"tp_size": None} if name == "sglang" else {})}
    found = command(name, question, changed, Written(name, tuple(words.split(" "))))
    assert found == line


def test_a_line_of_another_engine_is_not_changed_but_written_anew() -> None:
    question = plan(read_model("qwen3-8b"), engine("vllm"), Wanted()).question
    line = command("vllm", question, {}, Written("sglang", ("python", "-m", "sglang")))
    assert line == "vllm serve Qwen/Qwen3-8B"
