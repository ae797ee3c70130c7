"""Qwen3.5 with experts: sizes of transformers 5.24.0, and what a quantization says of the cache."""

from __future__ import annotations

import pytest

from ferrum_cli.describe.hints import Hints
from tests.describe.huggingface.measure import published, read, state, total
from tests.describe.huggingface.plain import DELTA_EXPERTS

TINY = DELTA_EXPERTS | {"model_type": "qwen3_5_moe_text"}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 242_632, "measured"),
        ({"model_type": "qwen3_5_moe_text"}, 34_660_610_688, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_the_published_model_counts_its_vision_apart() -> None:
    model = published("Qwen__Qwen3.5-35B-A3B")
    assert total(model) == 34_660_610_688
    assert total(model) + model.vision_parameters == 35_107_181_936


def test_the_state_is_what_transformers_measures_less_a_column() -> None:
    assert state(read(**TINY)) == dict.fromkeys(range(3), (128 * 3, 4 * 16 * 16))


@pytest.mark.parametrize(
    ("quantization", "kv", "form"),
    [
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, None, "nvfp4"),
        (
            {
                "quant_method": "modelopt",
                "quant_algo": "MIXED_PRECISION",
                "kv_cache_scheme": {"dynamic": False, "num_bits": 8, "type": "float"},
            },
            "fp8",
            "mixed_precision",
        ),
        ({"quant_method": "modelopt", "kv_cache_quant_algo": "FP8"}, "fp8", None),
        (
            {
                "quant_method": "compressed-tensors",
                "format": "float-quantized",
                "kv_cache_scheme": None,
            },
            None,
            "float-quantized",
        ),
        (
            {
                "quant_method": "modelopt",
                "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "NVFP4"},
            },
            "nvfp4",
            "fp8",
        ),
    ],
)
def test_the_quantization_says_which_dtype_the_cache_has(
    quantization: dict[str, object], kv: str | None, form: str | None
) -> None:
    model = read(model_type="qwen3_5_moe", text_config=TINY, quantization_config=quantization)
    assert model.hints == Hints(
        full_attention_interval=4,
        kv_cache_dtype=kv,
        quantization_method=str(quantization["quant_method"]),
        quantization_format=form,
        multimodal=True,
    )
