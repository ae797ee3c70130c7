"""Starts that fail for want of memory, and those that `--fit` saves."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.report import Level
from tests.engines.llama_cpp.asking import GIB, QWEN35_27B, answered, codes, deployed, finding

FIXED: dict[str, Any] = {"parallel": 1, "ctx_size": 65_536, "n_gpu_layers": "all"}
KV_FAILS = "failed to initialize the context: failed to allocate buffer for kv cache"
STATE_FAILS = "failed to initialize the context: failed to allocate buffer for rs cache"
COMPUTE_FAILS = "failed to initialize the context: failed to allocate compute pp buffers"


def parts() -> tuple[int, int, int, int]:
    """Weights, KV, state, and the least of compute buffers."""
    deployment = deployed(QWEN35_27B, FIXED)
    sizes = deployment.launch.sizes()
    share = deployment.shares(sizes)[0]
    return share.weights, share.kv, share.state, deployment.compute(sizes).low


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (0, "unable to allocate CUDA0 buffer"),
        (1, KV_FAILS),
        (2, STATE_FAILS),
        (3, COMPUTE_FAILS),
        (4, None),
    ],
)
def test_the_first_allocation_that_does_not_fit_is_named(held: int, words: str | None) -> None:
    """Weights, then KV, then state, then compute buffers: memory for so many of them."""
    memory = sum(parts()[:held]) + (1000 if held < len(parts()) else 0)
    found = answered(QWEN35_27B, FIXED, memory=memory)
    assert found.refusal == words
    if words is not None:
        assert finding(found, "out-of-memory").level is Level.ERROR


@pytest.mark.parametrize(
    "options",
    [
        {"n_gpu_layers": "all"},
        {"n_gpu_layers": 99},
        {"fit": "off"},
        {"tensor_split": [1.0]},
    ],
)
def test_a_start_fails_where_fit_has_nothing_to_lower(options: dict[str, Any]) -> None:
    stated = {"ctx_size": 65_536, "parallel": 1, **options}
    assert answered(QWEN35_27B, stated, memory=16 * GIB).refusal is not None


@pytest.mark.parametrize("options", [{}, {"n_gpu_layers": "auto"}, {"n_gpu_layers": -1}])
def test_fit_takes_layers_off_the_device_where_they_were_not_set(options: dict[str, Any]) -> None:
    found = answered(QWEN35_27B, {"ctx_size": 65_536, **options}, memory=16 * GIB)
    assert found.refusal is None
    assert "which is slow" in finding(found, "fit-moves-layers").message


def test_fit_lowers_a_context_that_was_not_set() -> None:
    found = answered(QWEN35_27B, {"parallel": 1}, memory=64 * GIB)
    assert found.refusal is None
    said = finding(found, "fit-shortens-context")
    assert "262144 tokens do not fit beside 1 slots" in said.message


def test_nothing_is_said_where_everything_fits() -> None:
    found = answered(QWEN35_27B, FIXED, memory=100 * GIB)
    assert not {"fit-moves-layers", "fit-shortens-context", "out-of-memory"} & codes(found)
