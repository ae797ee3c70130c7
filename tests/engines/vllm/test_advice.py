"""The sizing is what the requests need, and every change is one that vLLM takes."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Machine, Weights
from tests.engines.vllm.asking import (
    GIB,
    HOPPER,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
)

H100 = Machine(80 * GIB, "H100", (9, 0), 4 * GIB)


@pytest.mark.parametrize(
    ("options", "requests", "sizing"),
    [
        ({"max_num_seqs": 1024}, 1, {"max_num_seqs": 787}),
        ({"max_num_seqs": 4}, 10, {"max_num_seqs": 10}),
        ({"max_num_seqs": 64}, 10, {}),
        ({"max_num_seqs": 787}, 10, {}),
    ],
)
def test_max_num_seqs_is_set_where_another_value_is_needed(
    options: dict[str, Any], requests: int, sizing: dict[str, int]
) -> None:
    sized = POOL | {"max_model_len": 32768} | options
    assert answered(QWEN35_27B, sized, requests=requests, machine=HOPPER).sizing == sizing


@pytest.mark.parametrize(
    ("model", "weights", "context", "requests"),
    [
        (NEMOTRON3_NANO, 33, 8192, 200),
        (QWEN35_27B, 28, 16384, 30),
        (QWEN35_27B, 28, 4096, 1100),
        (LLAMA, 16, 8192, 60),
    ],
)
def test_the_sizing_starts_and_makes_nothing_worse(
    model: str, weights: int, context: int, requests: int
) -> None:
    asked: dict[str, Any] = {
        "machine": H100,
        "weights": Weights((weights * GIB,), "measured"),
        "context": context,
        "requests": requests,
    }
    before = answered(model, {}, **asked)
    sized = answered(model, dict(before.sizing), **asked)
    assert sized.refusal is None
    assert (sized.capacity.max_requests or 0) >= (before.capacity.max_requests or 0)


@pytest.mark.parametrize("model", [NEMOTRON3_NANO, QWEN35_27B, QWEN3_NEXT, LLAMA])
def test_every_change_is_one_that_starts(model: str) -> None:
    asked = {"machine": H100, "weights": Weights((33 * GIB,), "measured"), "context": 8192}
    before = answered(model, {"max_num_seqs": 64}, **asked)
    assert before.changes
    for change in before.changes:
        for step in change.steps:
            assert answered(model, {"max_num_seqs": 64, **step}, **asked).refusal is None


def test_a_change_that_is_made_already_is_none() -> None:
    made = {
        "enable_prefix_caching": False,
        "kv_cache_dtype": "fp8",
        "mamba_ssm_cache_dtype": "bfloat16",
        "gpu_memory_utilization": 0.97,
    }
    assert answered(QWEN35_27B, made, machine=H100).changes == ()


def test_halving_the_state_lets_more_requests_run() -> None:
    asked: dict[str, Any] = {
        "machine": H100,
        "weights": Weights((33 * GIB,), "measured"),
        "context": 8192,
        "requests": 450,
    }
    assert (answered(NEMOTRON3_NANO, {}, **asked).capacity.max_requests or 0) < 450
    halved = answered(NEMOTRON3_NANO, {"mamba_ssm_cache_dtype": "bfloat16"}, **asked)
    assert (halved.capacity.max_requests or 0) >= 450
