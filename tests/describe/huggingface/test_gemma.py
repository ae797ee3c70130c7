"""Gemma: wide heads, ties by default."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import SMALL, built

GEMMA = SMALL | {"model_type": "gemma", "head_dim": 16}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (GEMMA, 139_840, 3_072),
        (GEMMA | {"attention_bias": True}, 140_608, 3_072),
        (GEMMA | {"tie_word_embeddings": False}, 156_224, 3_072),
        (GEMMA | {"num_key_value_heads": 4}, 156_224, 6_144),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("gemma", 8_537_680_896),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters
