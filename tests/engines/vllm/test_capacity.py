"""The limits of a pool, which are not the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines import Answer, Machine, Weights
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    CODESTRAL,
    GIB,
    HOPPER,
    LLAMA,
    POOL,
    QWEN35_27B,
    answered,
)


def of_pool(gib: float, model: str = QWEN35_27B, **options: Any) -> Answer:
    pool = {"kv_cache_memory_bytes": [int(gib * GIB)], "max_num_seqs": 64, "max_model_len": 32768}
    return answered(model, pool | options, machine=HOPPER)


def test_the_log_says_one_thing_and_the_scheduler_does_another() -> None:
    """Codestral-Mamba in 2 GiB: 15.00x in the log, 14 requests run (vLLM's own scheduler)."""
    layout = of_pool(2, CODESTRAL).layout
    assert layout["max_concurrency"] == 15.0
    assert layout["running_limit"] == 14
    assert layout["max_num_seqs_limit"] == 15


@pytest.mark.parametrize(
    ("options", "most", "by"),
    [
        ({}, 18, "kv"),
        ({"max_num_seqs": 8}, 8, "max_num_seqs"),
        ({"max_num_active_seqs": 4}, 4, "max_num_seqs"),
    ],
)
def test_the_smaller_limit_is_what_runs(options: dict[str, Any], most: int, by: str) -> None:
    capacity = of_pool(40, **options).capacity
    assert (capacity.max_requests, capacity.limited_by) == (most, by)


def test_what_a_request_mostly_holds_is_what_limits() -> None:
    short = answered(QWEN35_27B, POOL, context=500, machine=HOPPER)
    assert short.capacity.limited_by == "max_num_seqs"
    few = {"kv_cache_memory_bytes": [2 * GIB], "max_num_seqs": 30, "max_model_len": 4096}
    assert answered(QWEN35_27B, few, context=500, machine=HOPPER).capacity.limited_by == "state"
    assert answered(QWEN35_27B, few, context=4000, machine=HOPPER).capacity.limited_by == "kv"


def test_replicas_serve_as_many_each() -> None:
    one = answered(QWEN35_27B, POOL, context=32768, machine=HOPPER).capacity.max_requests
    three = answered(
        QWEN35_27B, POOL, context=32768, machine=HOPPER, parallel=Parallel(1, 1, 3)
    ).capacity.max_requests
    assert one is not None
    assert three == 3 * one


@given(st.floats(0, 80), st.floats(0, 80))
def test_more_memory_never_runs_fewer_requests(one: float, other: float) -> None:
    less, more = sorted((one, other))
    fewer, most = (of_pool(gib).capacity.max_requests for gib in (less, more))
    assert fewer is not None
    assert most is not None
    assert fewer <= most


def test_without_memory_nothing_is_said_about_requests() -> None:
    capacity = answered(LLAMA, {}, machine=Machine()).capacity
    assert (capacity.available_bytes, capacity.max_requests, capacity.limited_by) == (None,) * 3


def test_memory_is_the_share_less_weights_and_overhead() -> None:
    machine = Machine(80 * GIB, "H100", (9, 0), 3 * GIB)
    answer = answered(LLAMA, {"max_num_seqs": 8}, machine=machine)
    requested = -(-80 * GIB * 92 // 100)
    assert answer.capacity.available_bytes == requested - 3 * GIB
    older = answered(LLAMA, {"max_num_seqs": 8}, machine=machine, version="0.13.0")
    assert older.capacity.available_bytes == -(-80 * GIB * 9 // 10) - 3 * GIB


def test_weights_kept_in_host_memory_leave_more_for_the_pool() -> None:
    machine = Machine(80 * GIB, "H100", (9, 0))
    given_weights = {"machine": machine, "weights": Weights((30 * GIB,), "measured")}
    plain = answered(LLAMA, {"max_num_seqs": 8}, **given_weights).capacity.available_bytes
    options = {"max_num_seqs": 8, "cpu_offload_gb": 10.0}
    offloaded = answered(LLAMA, options, **given_weights).capacity.available_bytes
    assert plain is not None
    assert offloaded == plain + 10 * GIB
