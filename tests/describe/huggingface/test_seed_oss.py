"""Seed-OSS: biases on the way in, others apart."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import SMALL, built

SEED_OSS = SMALL | {"model_type": "seed_oss", "head_dim": 16}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (SEED_OSS, 156_736, 3_072),
        (SEED_OSS | {"attention_bias": False}, 156_224, 3_072),
        (SEED_OSS | {"attention_out_bias": True, "mlp_bias": True}, 158_016, 3_072),
        (SEED_OSS | {"head_dim": None, "num_attention_heads": 8}, 148_416, 1_536),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("seed_oss", 28_921_040_896),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters
