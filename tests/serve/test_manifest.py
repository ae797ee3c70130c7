"""Compose files, Kubernetes manifests and lists: shapes as public files have them."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import UsageError
from ferrum_cli.serve.manifest import services
from ferrum_cli.serve.reading import read

COMPOSE_ARGUMENTS = """\
x-common: &common
  ipc: host
services:
  server:
    <<: *common
    image: vllm/vllm-openai:v0.19.0-aarch64
    environment:
      - HF_HOME=/data
    command:
      - A/B
      - --tensor-parallel-size
      - "2"
"""
COMPOSE_TEXT = """\
services:
  server:
    image: vllm/vllm-openai:nightly
    environment: {LEN: 4096}
    command: >
      --model A/B --tensor-parallel-size ${TP:-2}
      --served-model-name $$x
"""
SHELL_IN_ENTRYPOINT = """\
services:
  server:
    image: example/x
    entrypoint:
      - bash
      - -c
      - prepare && exec python3 -m vllm.entrypoints.openai.api_server "$$@"
      - --
    command: [--model=A/B, --tensor-parallel-size=2]
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      initContainers:
        - {name: wait, image: vllm/vllm-openai:v0.1.0, args: [C/D]}
      containers:
        - name: server
          image: vllm/vllm-openai:v0.30.0
          args: [A/B, --tensor-parallel-size, "$(TP)"]
          env: [{name: TP, value: "2"}]
"""
SCRIPT_IN_ARGS = """\
spec:
  containers:
    - image: example/x
      command: [/bin/bash, -c]
      args:
        - |-
          set -eu
          ray start --head
          exec python3 -m dynamo.vllm \\
            --model A/B \\
            --tensor-parallel-size 2
"""
LIST = '["vllm", "serve", "A/B", "--tensor-parallel-size", "2"]'


@pytest.mark.parametrize(
    "text",
    [COMPOSE_ARGUMENTS, COMPOSE_TEXT, SHELL_IN_ENTRYPOINT, DEPLOYMENT, SCRIPT_IN_ARGS, LIST],
    ids=["arguments", "text", "entrypoint", "deployment", "script", "list"],
)
def test_the_servers_command_is_read(text: str) -> None:
    command = read(text, {})
    assert command.error is None
    assert (command.model, command.options["tensor_parallel_size"]) == ("A/B", 2)


def test_the_images_tag_and_the_environment_are_read() -> None:
    command = read(COMPOSE_ARGUMENTS, {})
    assert (command.version, command.environment) == ("0.19.0", {"HF_HOME": "/data"})


def test_composes_dollars_are_escaped_by_doubling() -> None:
    assert read(COMPOSE_TEXT, {}).options["served_model_name"] == ["$x"]


def test_a_reference_to_nothing_is_named() -> None:
    text = "image: vllm/vllm-openai\nargs: [A/B, --tensor-parallel-size, $(RANKS)]"
    assert read(text, {}).unresolved == ("RANKS",)


def test_two_services_with_other_models_are_not_chosen_between() -> None:
    text = (
        "services:\n  a: {image: vllm/vllm-openai, command: [A/B]}\n"
        "  b: {image: vllm/vllm-openai, command: [C/D]}\n"
    )
    assert "2 commands start a server" in str(read(text, {}).error)


def test_references_without_end_are_refused() -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 12)]
    with pytest.raises(UsageError, match="too large"):
        services("\n".join(lines))


def test_what_is_no_yaml_is_left_to_the_shell() -> None:
    assert services("a: [") is None
    assert services("just words") is None


def test_a_shells_script_in_a_task_is_read() -> None:
    text = "envs: {MODEL: A/B}\nrun: |\n  pip install vllm\n  vllm serve $MODEL -tp 2\n"
    assert read(text, {}).options == {"model": "A/B", "tensor_parallel_size": 2}


def test_a_proxys_command_goes_over_lines() -> None:
    text = "models:\n  ours:\n    cmd: |\n      /app/llama-server -m A/B\n      -c 8192\n"
    command = read(text, {})
    assert (command.options, command.notes) == ({"model": "A/B", "ctx_size": 8192}, ())


def test_a_file_of_an_engines_options_is_read_as_its_flags() -> None:
    text = (
        "model: A/B\ntensor-parallel-size: 2\nenable-prefix-caching: false\n"
        "served-model-name: [a, b]\nspeculative-config: {method: mtp}\nenforce-eager: true\n"
    )
    command = read(text, {})
    assert (command.engine, command.error) == ("vllm", None)
    assert command.options == {
        "model": "A/B",
        "tensor_parallel_size": 2,
        "enable_prefix_caching": False,
        "served_model_name": ["a", "b"],
        "speculative_config": {"method": "mtp"},
        "enforce_eager": True,
    }
