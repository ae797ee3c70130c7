"""Numbers of llama.cpp's own code, held against the engine's answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.engines.llama_cpp.buffers import compute_terms
from ferrum_cli.engines.llama_cpp.start_lines import DeviceNames, start_lines
from tests.engines.llama_cpp.asking import answered, deployed

DATA = json.loads(
    (Path(__file__).parents[2] / "data" / "engines" / "llama_cpp.json").read_text(encoding="utf-8")
)
CASES: list[dict[str, Any]] = DATA["cases"]
RUN = [case for case in CASES if "expected" in case]
REFUSED = [case for case in CASES if "refusal" in case]
ON_THE_CPU = {"n_gpu_layers": 0}
UNRECORDED = {"kv_buffer", "indexer_cache", "slots"}
"""KV is not allocated for a model made of its metadata alone; llama-server has other lines."""
CPU = DeviceNames(device="CPU", host="CPU", shared="CPU")


def name(case: dict[str, Any]) -> str:
    return str(case["id"])


@pytest.mark.parametrize("case", RUN, ids=name)
def test_every_recorded_number_is_computed_to_the_byte(case: dict[str, Any]) -> None:
    found, expected = answered(case["model"], case["options"]), dict(case["expected"])
    expected.pop("compute_bytes_cpu")
    assert found.refusal is None
    caches = expected.pop("kv_caches")
    checkpoint = expected.pop("state_seq_partial_bytes", found.layout["checkpoint_bytes"])
    assert {key: found.layout[key] for key in expected} == expected
    assert found.layout["checkpoint_bytes"] == checkpoint
    assert cells(found.layout["kv_caches"]) == cells(caches)


def cells(caches: dict[str, Any]) -> list[tuple[int, int]]:
    """Bytes of keys and of values of every cache that holds anything."""
    found = [(cache["k_bytes"], cache["v_bytes"]) for cache in caches.values()]
    return sorted(pair for pair in found if any(pair))


@pytest.mark.parametrize("case", RUN, ids=name)
def test_the_recorded_log_is_written_line_by_line(case: dict[str, Any]) -> None:
    """Of some runs only some lines were recorded, in their order."""
    deployment = deployed(case["model"], case["options"] | ON_THE_CPU)
    found = [line.text for line in start_lines(deployment, CPU) if line.key not in UNRECORDED]
    if is_whole(case["log"]):
        assert found == case["log"]
    else:
        assert [text for text in found if text in case["log"]] == case["log"]


def is_whole(log: list[str]) -> bool:
    return any("n_batch" in text for text in log)


@pytest.mark.parametrize("case", RUN, ids=name)
def test_the_recorded_compute_buffer_lies_in_its_interval(case: dict[str, Any]) -> None:
    """The recorded runs ask for as many outputs as a batch has tokens."""
    deployment = deployed(case["model"], case["options"])
    launch = deployment.launch
    interval = compute_terms(
        deployment.question.model,
        deployment.architecture,
        deployment.inventory,
        launch,
        launch.sizes(),
        launch.batch,
    ).interval
    assert interval.low <= case["expected"]["compute_bytes_cpu"] <= interval.high


@pytest.mark.parametrize("case", REFUSED, ids=name)
def test_a_recorded_refusal_is_said_in_its_own_words(case: dict[str, Any]) -> None:
    assert answered(case["model"], case["options"]).refusal == case["refusal"]


def test_most_logs_were_recorded_as_a_whole() -> None:
    assert sum(is_whole(case["log"]) for case in RUN) >= 60


def test_all_architectures_with_state_are_among_the_cases() -> None:
    architectures = {DATA["models"][case["model"]]["general.architecture"] for case in CASES}
    assert architectures >= {
        *("mamba", "mamba2", "rwkv6", "rwkv7", "rwkv6qwen2", "arwkv7", "jamba", "falcon-h1"),
        *("plamo2", "granitehybrid", "lfm2", "lfm2moe", "nemotron_h", "nemotron_h_moe"),
        *("qwen3next", "qwen35", "qwen4exp", "kimi-linear", "kimi-k3", "bailingmoe3"),
        *("glm5-next", "minimax-01", "llama"),
    }
    assert len(CASES) >= 60
