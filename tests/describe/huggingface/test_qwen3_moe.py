"""Qwen3 with experts: dense layers by a step or a list."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import kv_bytes_per_token, published, read, total, windows

TINY = {
    "model_type": "qwen3_moe",
    "moe_intermediate_size": 32,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "head_dim": 16,
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
        ({}, 181_952),
        ({"decoder_sparse_step": 2}, 169_152),
        ({"mlp_only_layers": [0]}, 175_552),
        ({"attention_bias": True}, 182_720),
        ({"num_local_experts": 12}, 380_608),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int
) -> None:
    assert total(read(**TINY | fields)) == parameters


def test_the_published_model_has_its_sizes() -> None:
    model = published("Qwen__Qwen3-30B-A3B")
    assert total(model) == 30_532_122_624
    assert kv_bytes_per_token(model) == 98_304


def test_a_window_counts_only_where_it_is_switched_on() -> None:
    assert windows(read(**TINY, sliding_window=8)) == []
    assert windows(read(**TINY, sliding_window=8, use_sliding_window=True)) == [8] * 4
