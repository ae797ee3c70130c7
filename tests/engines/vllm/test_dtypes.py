"""Dtypes of model, cache and state (model_executor/models/config.py, vLLM 0.33.0)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ferrum_cli.dtype import DType
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    AMPERE,
    GRANITE,
    HOPPER,
    KIMI_K3,
    KIMI_LINEAR,
    NEMOTRON3_NANO,
    OLMO_HYBRID,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    codes,
    description,
    finding,
)

LING_TINY = "inclusionAI__Ling-3.0-tiny"


def dtypes(model: str, **options: Any) -> list[str]:
    tp = 8 if model == KIMI_K3 else 1
    answer = answered(model, POOL | options, machine=HOPPER, parallel=Parallel(tp))
    return [tensor["dtype"] for tensor in answer.layout["recurrent_tensors_per_layer"]]


@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        (QWEN35_27B, {}, ["bfloat16", "float32"]),
        (QWEN35_27B, {"mamba_ssm_cache_dtype": "bfloat16"}, ["bfloat16", "bfloat16"]),
        (QWEN3_NEXT, {}, ["bfloat16", "bfloat16"]),
        (QWEN3_NEXT, {"mamba_cache_dtype": "float32"}, ["float32", "float32"]),
        (QWEN3_NEXT, {"mamba_ssm_cache_dtype": "float32"}, ["bfloat16", "float32"]),
        (NEMOTRON3_NANO, {}, ["bfloat16", "float32"]),
        (GRANITE, {}, ["bfloat16", "bfloat16"]),
        (OLMO_HYBRID, {}, ["bfloat16", "bfloat16"]),
        (KIMI_LINEAR, {}, ["bfloat16", "float32"]),
        (KIMI_K3, {}, ["bfloat16", "float32"]),
        (KIMI_K3, {"mamba_ssm_cache_dtype": "bfloat16"}, ["bfloat16", "bfloat16"]),
        (LING_TINY, {"mamba_ssm_cache_dtype": "bfloat16"}, ["bfloat16", "float32"]),
        (QWEN3_NEXT, {"kv_cache_dtype": "fp8"}, ["bfloat16", "bfloat16"]),
        (QWEN3_NEXT, {"dtype": "float16"}, ["float16", "float16"]),
    ],
)
def test_state_follows_option_checkpoint_or_architecture(
    model: str, options: dict[str, Any], expected: list[str]
) -> None:
    assert dtypes(model, **options) == expected


def test_an_option_that_the_layers_do_not_read_is_said_to_have_no_effect() -> None:
    options = POOL | {"mamba_ssm_cache_dtype": "bfloat16"}
    assert finding(answered(LING_TINY, options, machine=HOPPER), "ssm-dtype-ignored")
    assert "ssm-dtype-ignored" not in codes(answered(QWEN3_NEXT, options, machine=HOPPER))


@pytest.mark.parametrize(("machine", "dtype"), [(HOPPER, "bfloat16"), (AMPERE, "bfloat16")])
def test_a_checkpoint_in_float32_is_computed_in_16_bits(machine: Any, dtype: str) -> None:
    wide = dataclasses.replace(description(QWEN3_NEXT), dtype=DType.FP32)
    assert answered(wide, POOL, machine=machine).options["dtype"].value == dtype


def test_devices_before_ampere_compute_it_in_float16() -> None:
    wide = dataclasses.replace(description(QWEN3_NEXT), dtype=DType.FP32)
    turing = dataclasses.replace(HOPPER, name="T4", compute_capability=(7, 5))
    assert answered(wide, POOL, machine=turing).options["dtype"].value == "float16"


def test_the_checkpoints_quantization_switches_fp8_keys_and_values_on() -> None:
    """nvidia/Qwen3.6-27B-NVFP4: blocks of 1,600 tokens and 27.3x, computed by vLLM 0.33.0."""
    options = POOL | {"max_model_len": 32768}
    answer = answered("nvidia__Qwen3.6-27B-NVFP4", options, machine=HOPPER)
    assert answer.layout["block_size"] == 1600
    assert round(answer.layout["max_concurrency"], 2) == 27.3
    setting = answer.options["kv_cache_dtype"]
    assert (setting.value, setting.source) == ("fp8_e4m3", "config")
    assert finding(answer, "kv-dtype-from-checkpoint")


def test_an_explicit_dtype_beats_the_checkpoints() -> None:
    options = POOL | {"max_model_len": 32768, "kv_cache_dtype": "bfloat16"}
    answer = answered("nvidia__Qwen3.6-27B-NVFP4", options, machine=HOPPER)
    assert answer.layout["block_size"] == 832
    assert "kv-dtype-from-checkpoint" not in codes(answer)


def test_a_checkpoint_whose_configuration_lacks_the_scheme_keeps_16_bits() -> None:
    """Its hf_quant_config.json says FP8, which vLLM does not read then."""
    options = POOL | {"max_model_len": 32768}
    answer = answered("nvidia__Qwen3.6-35B-A3B-NVFP4", options, machine=HOPPER)
    assert answer.options["kv_cache_dtype"].value == "auto"
    assert answer.layout["block_size"] == 1088


@pytest.mark.parametrize(
    ("version", "dtype"),
    [("0.11.2", "bfloat16"), ("0.13.0", "float16"), ("0.19.1", "float16"), ("0.20.2", "float32")],
)
def test_nemotron_h_without_a_dtype_of_its_own_by_version(version: str, dtype: str) -> None:
    """model_executor/models/config.py, NemotronHForCausalLMConfig, of these versions."""
    model = "nvidia__Nemotron-H-8B-Base-8K"
    answer = answered(model, POOL, version=version, machine=HOPPER)
    assert answer.layout["recurrent_tensors_per_layer"][1]["dtype"] == dtype
