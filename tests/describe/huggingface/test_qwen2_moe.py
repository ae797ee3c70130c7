"""Qwen2 with experts: a shared one with a gate, dense layers, windows in turn."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total, windows
from tests.describe.huggingface.plain import EXPERTS, SMALL, built

QWEN2_MOE = (
    SMALL
    | EXPERTS
    | {
        "model_type": "qwen2_moe",
        "num_experts": 4,
        "shared_expert_intermediate_size": 48,
        "sliding_window": 4,
        "use_sliding_window": True,
    }
)


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (QWEN2_MOE, 219_456, 2_304),
        (QWEN2_MOE | {"qkv_bias": False}, 218_944, 2_304),
        (QWEN2_MOE | {"decoder_sparse_step": 2}, 188_096, 2_304),
        (QWEN2_MOE | {"mlp_only_layers": [0]}, 203_776, 2_304),
        (QWEN2_MOE | {"num_experts": 0}, 156_736, 2_304),
        (QWEN2_MOE | {"shared_expert_intermediate_size": 0}, 182_592, 2_304),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("qwen2_moe", 14_315_784_192),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


def test_every_second_layer_below_a_number_slides() -> None:
    assert windows(read(**QWEN2_MOE)) == [4, 4]
    assert windows(read(**QWEN2_MOE, max_window_layers=1)) == [4]
    assert windows(read(**QWEN2_MOE | {"use_sliding_window": False})) == []


def test_a_window_of_zero_is_none() -> None:
    # transformers 5.24.0 saves 0 where use_sliding_window is false.
    assert windows(read(**QWEN2_MOE | {"sliding_window": 0, "use_sliding_window": False})) == []
