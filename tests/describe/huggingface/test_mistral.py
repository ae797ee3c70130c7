"""Mistral and Mixtral: windows that null switches off, experts."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import read, total, windows

TINY = {
    "model_type": "mistral",
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters"),
    [
        ({}, 156_224),
        ({"head_dim": 32}, 205_376),
        ({"model_type": "mixtral", "num_local_experts": 4}, 378_432),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int
) -> None:
    assert total(read(**TINY | fields)) == parameters


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [4096] * 4),
        ({"sliding_window": 8}, [8] * 4),
        ({"sliding_window": None}, []),
        ({"model_type": "mixtral"}, []),
    ],
)
def test_a_null_window_is_full_attention(fields: dict[str, object], expected: list[int]) -> None:
    assert windows(read(**TINY | fields)) == expected
