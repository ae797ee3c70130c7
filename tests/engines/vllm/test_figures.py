"""Every figure with a formula that can be reckoned."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Machine
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    CODESTRAL,
    GIB,
    HOPPER,
    KIMI_LINEAR,
    LLAMA,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
)


@pytest.mark.parametrize("model", [QWEN35_27B, KIMI_LINEAR, CODESTRAL, LLAMA])
def test_figures_are_those_of_the_layout(model: str) -> None:
    answer = answered(model, POOL | {"max_model_len": 8192}, machine=HOPPER)
    figures = {figure.name: figure.value for figure in answer.figures}
    for name in (
        *("block_size", "num_gpu_blocks", "blocks_per_max_len_request", "max_concurrency"),
        *("kv_cache_size_tokens", "running_limit"),
    ):
        assert figures[name] == answer.layout[name], name
    assert figures["bytes_per_block"] == max(answer.layout["pool_bytes_per_block_per_rank"])


def test_names_of_figures_are_unique_and_sources_name_the_version() -> None:
    figures = answered(QWEN35_27B, POOL, machine=HOPPER).figures
    names = [figure.name for figure in figures]
    assert len(names) == len(set(names))
    assert all(figure.source.startswith("vLLM 0.33.0, ") for figure in figures)
    assert all(figure.formula for figure in figures)


@pytest.mark.parametrize(
    ("name", "formula", "value"),
    [
        ("running_limit", "(787 blocks − 1 null block) // 43 blocks a request", 18),
        ("max_concurrency", "787 blocks / 49 blocks a request", 787 / 49),
        ("num_gpu_blocks", "42949672960 B available // 54525952 B a block", 787),
    ],
)
def test_a_formula_stands_with_its_values(name: str, formula: str, value: float) -> None:
    options = POOL | {"max_model_len": 32768}
    figures = {f.name: f for f in answered(QWEN35_27B, options, machine=HOPPER).figures}
    assert (figures[name].formula, figures[name].value) == (formula, value)


def test_what_the_pool_gets_is_explained_from_the_devices_memory() -> None:
    machine = Machine(80 * GIB, "H100", (9, 0), GIB)
    figures = {f.name: f for f in answered(QWEN3_NEXT, {}, machine=machine).figures}
    assert figures["available_bytes"].formula == (
        f"⌈{80 * GIB} B of memory × 0.92 gpu_memory_utilization⌉ − 0 B of weights"
        f" − 0 B of records − {GIB} B of overhead"
    )


def test_an_early_refusal_explains_nothing() -> None:
    assert answered(QWEN3_NEXT, POOL, parallel=Parallel(3), machine=HOPPER).figures == ()


def test_figures_that_the_log_names_say_by_what_name() -> None:
    machine = Machine(80 * GIB, "H100", (9, 0), GIB)
    figures = {f.name: f.log for f in answered(QWEN3_NEXT, {}, machine=machine).figures}
    assert figures["kv_cache_size_tokens"] == "GPU KV cache size"
    assert figures["max_concurrency"] == "Maximum concurrency"
    assert figures["available_bytes"] == "Available KV cache memory"
    assert figures["held_blocks"] == ""
