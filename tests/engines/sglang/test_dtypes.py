"""Dtypes of state and KV cache, and where they come from."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.dtype import DType
from ferrum_cli.engines import Machine
from ferrum_cli.engines.sglang.dtypes import kv_dtype
from ferrum_cli.engines.sglang.start import start
from tests.engines.sglang.asking import FALCON_MAMBA, LLAMA, QWEN3_NEXT, question, started

FLAG = {"mamba_ssm_dtype": "bfloat16"}
VARIABLE = {"SGLANG_MAMBA_SSM_DTYPE": "float16"}
ASKS_HALF = QWEN3_NEXT | {"mamba_ssm_dtype": "float16"}


# configs/mamba_utils.py: mamba2_state_dtype; the flag works by setting the variable.
@pytest.mark.parametrize(
    ("model", "options", "dtype", "source"),
    [
        (QWEN3_NEXT, {}, DType.FP32, "default"),
        (ASKS_HALF, {}, DType.FP16, "config"),
        (ASKS_HALF, FLAG, DType.BF16, "flag"),
        (QWEN3_NEXT | {"mamba_ssm_dtype": "bfloat16"}, VARIABLE, DType.FP16, "environment"),
        (QWEN3_NEXT, FLAG | VARIABLE, DType.BF16, "flag"),
        (QWEN3_NEXT, {"SGLANG_MAMBA_SSM_DTYPE": "half"}, DType.FP32, "default"),
        (ASKS_HALF, {"enable_linear_replayssm_spec": True}, DType.FP32, "default"),
        (FALCON_MAMBA | {"mamba_ssm_dtype": "float16"}, {}, DType.FP32, "default"),
    ],
)
def test_flag_beats_environment_beats_configuration(
    model: dict[str, Any], options: dict[str, Any], dtype: DType, source: str
) -> None:
    found = started(model, **options).dtypes
    assert found is not None
    assert (found.temporal, found.source) == (dtype, source)


@pytest.mark.parametrize(
    ("word", "dtype"),
    [("float32", DType.FP32), ("float16", DType.FP16), ("fp8", DType.BF16), (None, DType.BF16)],
)
def test_convolutions_are_bfloat16_unless_the_environment_knows_better(
    word: str | None, dtype: DType
) -> None:
    options = {} if word is None else {"SGLANG_MAMBA_CONV_DTYPE": word}
    found = started(QWEN3_NEXT | {"torch_dtype": "float32"}, **options).dtypes
    assert found is not None
    assert found.conv is dtype


@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        (LLAMA, {}, ("auto", DType.BF16, "default")),
        (LLAMA | {"torch_dtype": "float32"}, {}, ("auto", DType.FP16, "default")),
        (LLAMA, {"dtype": "float32"}, ("auto", DType.FP32, "default")),
        (LLAMA, {"kv_cache_dtype": "fp8_e5m2"}, ("fp8_e5m2", DType.FP8, "flag")),
        (LLAMA, {"kv_cache_dtype": "bf16"}, ("bf16", DType.BF16, "flag")),
    ],
)
def test_kv_is_in_the_models_dtype_unless_told_otherwise(
    model: dict[str, Any], options: dict[str, Any], expected: tuple[str, DType, str]
) -> None:
    assert kv_dtype(question(model, options)) == expected


# 32 layers x 8 heads x 256 elements: one byte and 1/32, or half a byte and 1/16.
@pytest.mark.parametrize(("word", "size"), [("mxfp8", 65_536 + 2048), ("nvfp4", 32_768 + 4096)])
def test_scales_of_small_blocks_cost_their_bytes(word: str, size: int) -> None:
    assert started(LLAMA, kv_cache_dtype=word).cells[0].full == size


def test_an_unknown_machine_is_no_blackwell() -> None:
    asked = question(LLAMA, machine=Machine(compute_capability=(10, 0)))
    assert kv_dtype(asked)[1] is DType.BF16
    assert start(asked).refusal is None
