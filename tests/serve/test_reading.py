"""Whole texts as people paste them: which command they hold, or why none.

`command_lines.json` holds public command lines with what each resolves to; `fidelity` says how near
a text is to its source. Values were checked with the parsers of vLLM 0.33.0 and SGLang 0.5.23 and
the option table of llama.cpp b11434.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.serve.command import document
from ferrum_cli.serve.reading import read

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "data" / "serve" / "command_lines.json").read_text("utf-8")
)


def understood(text: str, **variables: str) -> dict[str, Any]:
    return document(read(text, variables))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_public_command_line_resolves_as_recorded(case: dict[str, Any]) -> None:
    found = understood(case["raw"], **case["variables"])
    native = case["native"]
    assert found["engine"] == case["engine"]
    assert {name: found["options"].get(name) for name in native} == native
    named = (native.get(name) for name in ("model", "model_path", "hf_repo"))
    assert found["model"] == next((model for model in named if model), None)
    assert found["environment"] == case["environment"]
    assert bool(found["unresolved"]) is not case["resolved"]
    assert bool(found["error"]) is case["refused"]


def test_the_public_command_lines_are_of_every_engine() -> None:
    assert {case["engine"] for case in CASES} == {"vllm", "sglang", "llama.cpp"}


def test_every_key_of_the_document_is_always_there() -> None:
    keys = set(understood("vllm serve A/B"))
    assert keys == set(understood("")) == set(understood('vllm serve "A/B'))
    assert understood("")["schema"] == "ferrum.command/1"


# Texts around a command: the command is found, and nothing else of the text is taken for it.
FOUND = [
    ("$ vllm serve A/B \\\n> -tp 2", "vllm", {"tensor_parallel_size": 2}),
    ("```bash\nvllm serve A/B -tp 2\n```", "vllm", {"tensor_parallel_size": 2}),
    ("`vllm serve A/B -tp 2`", "vllm", {"tensor_parallel_size": 2}),
    ("[me@gpu ~]$ vllm serve A/B -tp 2", "vllm", {"tensor_parallel_size": 2}),
    ("vllm serve A/B -tp 2\r\n", "vllm", {"tensor_parallel_size": 2}),
    ("sudo -E env X=1 vllm serve A/B -tp 2 &", "vllm", {"tensor_parallel_size": 2}),
    ("numactl -N 0 python -u -m sglang.launch_server --model A/B --tp 2", "sglang", {"tp_size": 2}),
    ("python /x/vllm/entrypoints/openai/api_server.py --model A/B -pp 2", "vllm", {}),
    ("ssh gpu 'cd /srv && vllm serve A/B -tp 2'", "vllm", {"tensor_parallel_size": 2}),
    ("tmux new -d -s s 'llama-server -m A/B -c 512'", "llama.cpp", {"ctx_size": 512}),
    ("bash -lc 'exec vllm serve A/B -tp 2'", "vllm", {"tensor_parallel_size": 2}),
    ("docker exec -it c bash -c 'vllm serve A/B -tp 2'", "vllm", {"tensor_parallel_size": 2}),
    ('CMD="vllm serve A/B"\neval "$CMD -tp 2"', "vllm", {"tensor_parallel_size": 2}),
    ("pkill -f 'vllm serve'; vllm serve A/B -tp 2", "vllm", {"tensor_parallel_size": 2}),
    ("cmake --build b --target llama-server\nllama-server -m A/B -np 2", "llama.cpp", {}),
    ("if which vllm; then vllm serve A/B -tp 2; else exit 1; fi", "vllm", {}),
    ("command -v vllm || exit 1\nvllm serve A/B -tp 2", "vllm", {"tensor_parallel_size": 2}),
    ("f() { vllm serve A/B -tp $1; }\nf 2", "vllm", {"tensor_parallel_size": 2}),
    ("serve() {\n vllm serve A/B -tp 2\n}", "vllm", {"tensor_parallel_size": 2}),
    ("for p in 1 2; do vllm serve A/B --port $p & done", "vllm", {}),
    ("llama server -m A/B -ngl 9", "llama.cpp", {"n_gpu_layers": "9"}),
]


@pytest.mark.parametrize(("text", "engine", "options"), FOUND)
def test_the_command_is_found_in_what_stands_around_it(
    text: str, engine: str, options: dict[str, Any]
) -> None:
    found = understood(text)
    assert (found["engine"], found["model"], found["error"]) == (engine, "A/B", None)
    assert options.items() <= found["options"].items()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "echo vllm serve A/B",
        "vllm bench serve --model A/B",
        "pip install vllm",
        "systemctl restart llama-server",
        "ps aux | grep 'vllm serve'",
        "llama-bench -m x.gguf",
        "docker pull vllm/vllm-openai:latest",
    ],
)
def test_a_text_without_a_server_says_what_to_paste(text: str) -> None:
    found = understood(text)
    assert found["engine"] is None
    assert found["error"].startswith("no command that starts vLLM, SGLang or llama.cpp")


def test_two_different_servers_are_not_chosen_between() -> None:
    found = understood("vllm serve A/B\nvllm serve C/D")
    assert "2 commands start a server" in found["error"]
    assert "A/B" in found["error"]
    assert found["options"] == {}


def test_the_ranks_of_one_server_are_one_command() -> None:
    text = "vllm serve A/B -tp 8 --nnodes 2 --node-rank 0\nvllm serve A/B -tp 8 --nnodes 2 -r 1"
    assert understood(text)["error"] is None


def test_variables_are_used_where_they_are_set_and_named_where_they_are_not() -> None:
    text = 'vllm serve "$MODEL" -tp $TP $EXTRA --port ${PORT:-8000}'
    found = understood(text, MODEL="A/B")
    assert (found["model"], found["unresolved"]) == ("A/B", ["TP", "EXTRA"])
    assert understood(text, MODEL="A/B", TP="4", EXTRA="-pp 2")["options"] == {
        "model": "A/B",
        "tensor_parallel_size": 4,
        "pipeline_parallel_size": 2,
    }


@pytest.mark.parametrize(
    ("text", "unresolved"),
    [
        ("vllm serve $MODEL", ["MODEL"]),
        ("vllm serve A/B -tp $(nvidia-smi -L | wc -l)", ["$(nvidia-smi -L | wc -l)"]),
        ("vllm serve <model> -tp <n>", ["<model>", "<n>"]),
        ("vllm serve A/B --max-model-len $((LEN * 1024))", ["LEN"]),
        ("VLLM_USE_V2_MODEL_RUNNER=$RUNNER vllm serve A/B", ["RUNNER"]),
        ("PATH=$NOWHERE:$PATH vllm serve A/B", []),
        ("vllm serve A/B > $LOG", []),
    ],
)
def test_what_is_not_said_is_named(text: str, unresolved: list[str]) -> None:
    assert understood(text)["unresolved"] == unresolved


def test_a_file_of_options_is_named_and_not_read() -> None:
    found = understood("vllm serve --config serve.yaml")
    assert found["unresolved"] == [
        "serve.yaml: the options that stand in it",
        "model: it may stand in serve.yaml",
    ]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("docker run vllm/vllm-openai:v0.19.1-x86_64 --model A/B", "0.19.1"),
        ("docker run lmsysorg/sglang:v0.5.19-cu126 sglang serve A/B", "0.5.19"),
        ("docker run ghcr.io/ggml-org/llama.cpp:server-cuda-b9000 -m A/B", "b9000"),
        ("docker run vllm/vllm-openai:latest --model A/B", None),
        ("docker run example.com/our-vllm:2.1.0 vllm serve A/B", None),
        ("uvx --from vllm==0.30.0 vllm serve A/B", "0.30.0"),
        ("pip install 'vllm[flashinfer]==0.31.0'\nvllm serve A/B", "0.31.0"),
    ],
)
def test_the_version_is_read_where_a_text_says_it(text: str, version: str | None) -> None:
    command = read(text, {})
    assert (command.model, command.version) == ("A/B", version)


def test_flags_belong_to_the_version_that_is_asked() -> None:
    line = "vllm serve A/B --use-replayssm"
    assert read(line, {}, "0.28.0").error is None
    older = read(line, {}, "0.27.0")
    assert older.error == "unrecognized arguments: --use-replayssm (known from 0.28.0 on)"


def test_lines_that_a_lost_backslash_cuts_off_are_noted() -> None:
    command = read("vllm serve A/B\n  --max-num-seqs 4", {})
    assert "max_num_seqs" not in command.options
    assert "--max-num-seqs are not part of the command" in command.notes[0]


def test_a_dash_that_is_no_hyphen_is_noted() -> None:
    assert "no hyphen" in read("vllm serve A/B –tp 2", {}).notes[0]


def test_what_breaks_off_is_the_commands_error_with_its_place() -> None:
    error = understood('vllm serve A/B \\\n  --dtype "half')["error"]
    assert error.startswith("--serve:2:11: the quote is never closed")


def test_a_text_beyond_all_measure_is_not_read() -> None:
    assert understood("x" * 300_000)["error"] == "the text is longer than 256 KiB"
