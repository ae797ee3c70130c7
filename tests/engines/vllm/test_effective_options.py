"""Options with the value that vLLM runs with, and where it came from."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Answer, Machine
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    CODESTRAL,
    GIB,
    HOPPER,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
)


def option(answer: Answer, name: str) -> tuple[Any, str]:
    setting = answer.options[name]
    return setting.value, setting.source


@pytest.mark.parametrize(
    ("model", "options", "name", "expected"),
    [
        (QWEN35_27B, {}, "mamba_ssm_cache_dtype", ("float32", "config")),
        (QWEN3_NEXT, {}, "mamba_ssm_cache_dtype", ("bfloat16", "default")),
        (NEMOTRON3_NANO, {}, "mamba_ssm_cache_dtype", ("float32", "config")),
        (
            QWEN3_NEXT,
            {"mamba_ssm_cache_dtype": "float32"},
            "mamba_ssm_cache_dtype",
            ("float32", "flag"),
        ),
        (QWEN3_NEXT, {}, "dtype", ("bfloat16", "config")),
        (QWEN3_NEXT, {"dtype": "half"}, "dtype", ("float16", "flag")),
        (QWEN3_NEXT, {}, "max_model_len", (262144, "config")),
        (QWEN3_NEXT, {"max_model_len": 4096}, "max_model_len", (4096, "flag")),
        (QWEN3_NEXT, {}, "enable_prefix_caching", (True, "default")),
        (CODESTRAL, {}, "enable_prefix_caching", (False, "default")),
        (LLAMA, {}, "enable_prefix_caching", (True, "default")),
        (QWEN3_NEXT, {"enable_prefix_caching": False}, "mamba_cache_mode", ("none", "default")),
        (QWEN3_NEXT, {}, "block_size", (576, "default")),
        (QWEN3_NEXT, {"block_size": 80}, "block_size", (640, "flag")),
        (QWEN3_NEXT, {}, "gdn_prefill_backend", ("flashinfer", "default")),
        (QWEN3_NEXT, {}, "attention_backend", ("FLASH_ATTN", "default")),
        (QWEN3_NEXT, {}, "gpu_memory_utilization", (0.92, "default")),
        (QWEN3_NEXT, {}, "VLLM_USE_V2_MODEL_RUNNER", (True, "default")),
        (
            QWEN3_NEXT,
            {"VLLM_USE_V2_MODEL_RUNNER": False},
            "VLLM_USE_V2_MODEL_RUNNER",
            (False, "environment"),
        ),
    ],
)
def test_values_are_effective_and_have_a_source(
    model: str, options: dict[str, Any], name: str, expected: tuple[Any, str]
) -> None:
    assert option(answered(model, POOL | options, machine=HOPPER), name) == expected


def test_context_and_ranks_of_ferrum_are_flags_of_vllm() -> None:
    answer = answered(QWEN3_NEXT, POOL, context=8192, parallel=Parallel(2), machine=HOPPER)
    assert option(answer, "max_model_len") == (8192, "flag")
    assert option(answer, "tensor_parallel_size") == (2, "flag")
    assert option(answer, "pipeline_parallel_size") == (1, "default")


def test_defaults_that_hang_on_the_device_are_the_devices() -> None:
    small = Machine(24 * GIB, "RTX 4090", (8, 9))
    answer = answered(LLAMA, {}, machine=small)
    assert option(answer, "max_num_seqs") == (256, "default")
    assert option(answer, "max_num_batched_tokens") == (2048, "default")


def test_an_automatic_length_is_what_fits() -> None:
    pool = {"kv_cache_memory_bytes": [12 * GIB], "max_num_seqs": 8, "max_model_len": "auto"}
    assert option(answered(QWEN35_27B, pool, machine=HOPPER), "max_model_len") == (188032, "flag")


def test_options_without_a_value_are_left_out() -> None:
    options = answered(QWEN3_NEXT, POOL, machine=HOPPER).options
    assert all(setting.value is not None for setting in options.values())
    assert "speculative_config" not in options
    assert options["kv_cache_memory_bytes"].value == [40 * GIB]


def test_what_was_given_without_effect_on_a_plan_is_kept() -> None:
    options = answered(QWEN3_NEXT, POOL | {"tool_call_parser": "hermes"}, machine=HOPPER).options
    assert options["tool_call_parser"].value == "hermes"
