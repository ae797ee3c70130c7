"""Qwen3 and Qwen2: norms or biases, and windows that count only where they are switched on."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import (
    kv_bytes_per_token,
    kv_per_token,
    published,
    read,
    total,
    windows,
)

TINY = {
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 96,
    "vocab_size": 256,
}


def test_the_published_model_has_its_sizes() -> None:
    model = published("Qwen__Qwen3-8B")
    assert total(model) == 8_190_735_360
    assert kv_bytes_per_token(model) == 147_456


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(("model_type", "parameters"), [("qwen3", 501_312), ("qwen2", 156_736)])
def test_parameters_are_what_transformers_builds(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type, **TINY)) == parameters


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, []),
        ({"sliding_window": 8, "max_window_layers": 1}, []),
        ({"sliding_window": 8, "max_window_layers": 1, "use_sliding_window": True}, [8, 8, 8]),
        ({"sliding_window": None, "use_sliding_window": True}, []),
    ],
)
def test_a_window_counts_only_where_it_is_switched_on(
    fields: dict[str, object], expected: list[int]
) -> None:
    model = read(model_type="qwen3", **TINY, **fields)
    assert windows(model) == expected
    assert kv_per_token(model) == (4 - len(expected)) * 2 * 2 * 128
