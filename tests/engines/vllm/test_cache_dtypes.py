"""Bytes of keys and values by dtype (v1/kv_cache_interface.py, vLLM 0.33.0)."""

from __future__ import annotations

import pytest

from ferrum_cli.dtype import DType
from ferrum_cli.engines.vllm.cache_dtypes import cache_dtype
from ferrum_cli.errors import UsageError


@pytest.mark.parametrize(
    ("name", "key_dim", "value_dim", "size"),
    [
        ("auto", 256, 256, 1024),
        ("bfloat16", 256, 256, 1024),
        ("fp8", 256, 256, 512),
        ("fp8_e4m3", 128, 64, 192),
        # 4 heads of 256: 2080 bytes a token, as a published log of int8_per_token_head shows.
        ("int8_per_token_head", 256, 256, 520),
        ("int4_per_token_head", 256, 256, 264),
        ("nvfp4", 128, 128, 144),
    ],
)
def test_a_heads_key_and_value(name: str, key_dim: int, value_dim: int, size: int) -> None:
    assert cache_dtype(name, DType.BF16).head_bytes(key_dim, value_dim) == size


@pytest.mark.parametrize(
    ("name", "size"), [("auto", 1152), ("fp8", 576), ("fp8_ds_mla", 656), ("nvfp4_ds_mla", 352)]
)
def test_a_latent_row_of_576(name: str, size: int) -> None:
    assert cache_dtype(name, DType.BF16).row_bytes(576) == size


def test_auto_is_as_wide_as_the_model() -> None:
    assert cache_dtype("auto", DType.FP32).head_bytes(64, 64) == 512
    assert not cache_dtype("auto", DType.FP32).quantized
    assert cache_dtype("fp8", DType.FP32).quantized


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="invalid choice 'fp8_e4m4'") as error:
        cache_dtype("fp8_e4m4", DType.BF16)
    assert "fp8_e4m3" in (error.value.hint or "")


def test_a_packing_that_only_its_back_end_knows_is_said_to_be_so() -> None:
    with pytest.raises(UsageError, match="turboquant_k8v4"):
        cache_dtype("turboquant_k8v4", DType.BF16)
