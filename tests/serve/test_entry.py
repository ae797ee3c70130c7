"""Programs and modules that start a server, and commands that only speak of them."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.engine_lines import engine_lines
from ferrum_cli.serve.entry import find, of_image, program
from ferrum_cli.serve.shell.values import Argument

LINES = {name: engine.line for name, engine in engine_lines().items()}


def words(text: str) -> list[Argument]:
    return [Argument(word) for word in text.split()]


@pytest.mark.parametrize(
    ("text", "engine", "rest"),
    [
        ("vllm serve X", "vllm", "X"),
        ("/opt/v/bin/vllm serve X", "vllm", "X"),
        ("python -m vllm.entrypoints.openai.api_server X", "vllm", "X"),
        ("python3 -m vllm.entrypoints.cli.main serve X", "vllm", "X"),
        ("python3 -m dynamo.vllm X", "vllm", "X"),
        ("python x/vllm/entrypoints/openai/api_server.py X", "vllm", "X"),
        ("python -m sglang.launch_server X", "sglang", "X"),
        ("torchrun -m sglang.launch_server X", "sglang", "X"),
        ("sglang serve X", "sglang", "X"),
        ("./build/bin/llama-server X", "llama.cpp", "X"),
        (r"C:\llama\llama-server.exe X", "llama.cpp", "X"),
        ("llama serve X", "llama.cpp", "X"),
        ("llama-cli X", "llama.cpp", "X"),
    ],
)
def test_an_entry_point_is_found(text: str, engine: str, rest: str) -> None:
    found = find(words(text), LINES)
    assert found is not None
    assert found.engine == engine
    assert text.split()[found.position :] == [rest]


@pytest.mark.parametrize(
    "text",
    [
        "vllm bench serve X",
        "vllm chat",
        "python -m sglang.bench_serving X",
        "grep vllm serve",
        "sudo pkill vllm serve",
        "uv pip install vllm serve",
        "llama-quantize X",
        "journalctl -u llama-server",
    ],
)
def test_other_commands_start_no_server(text: str) -> None:
    assert find(words(text), LINES) is None


@pytest.mark.parametrize(
    ("image", "engine"),
    [
        ("vllm/vllm-openai:v0.33.0", "vllm"),
        ("registry.example.com/vllm/vllm-openai", "vllm"),
        ("lmsysorg/sglang:latest", "sglang"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", "llama.cpp"),
        ("ghcr.io/ggml-org/llama.cpp:full-cuda", None),
        ("nvcr.io/nvidia/pytorch:25.01-py3", None),
    ],
)
def test_an_image_says_what_it_runs_by_itself(image: str, engine: str | None) -> None:
    found = of_image(image, LINES)
    assert (found.engine if found else None) == engine


def test_a_program_is_known_without_its_path() -> None:
    assert program("/usr/bin/docker") == "docker"
    assert program(r"D:\x\python.exe") == "python"
