"""Qwen3-Next: the layer pattern, experts and draft, and the sizes of transformers 5.24.0."""

from __future__ import annotations

import pytest

from ferrum_cli.describe.hints import Hints
from tests.describe.huggingface.measure import (
    bytes_per_slot,
    kv_bytes_per_token,
    mixers,
    published,
    read,
    state,
    total,
)

TINY = {
    "model_type": "qwen3_next",
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
}


def test_the_published_model_has_its_recorded_sizes() -> None:
    model = published("Qwen__Qwen3-Next-80B-A3B-Instruct")
    assert total(model) == 79_674_391_296
    assert bytes_per_slot(model) == 77_266_944
    assert kv_bytes_per_token(model) == 24_576
    assert model.hints == Hints(full_attention_interval=4)
    assert model.max_context == 262_144


@pytest.mark.parametrize(
    ("fields", "pattern"),
    [
        ({}, "ddda"),
        ({"full_attention_interval": 2}, "dada"),
        ({"layer_types": ["full_attention", "linear_attention"] * 2}, "adad"),
        ({"layer_types": None, "full_attention_interval": 3}, "ddad"),
    ],
)
def test_layer_types_come_before_the_interval(fields: dict[str, object], pattern: str) -> None:
    assert mixers(read(**TINY | fields)) == pattern


@pytest.mark.parametrize(
    ("fields", "feeds"),
    [
        ({}, ["experts"] * 4),
        ({"mlp_only_layers": [0, 3]}, ["mlp", "experts", "experts", "mlp"]),
        ({"decoder_sparse_step": 2}, ["mlp", "experts", "mlp", "experts"]),
    ],
)
def test_some_layers_may_be_dense(fields: dict[str, object], feeds: list[str]) -> None:
    layers = read(**TINY | fields).layers
    assert [list(layer.names)[-1] for layer in layers] == feeds


def test_the_state_stands_in_linear_layers_only() -> None:
    assert state(read(**TINY)) == dict.fromkeys(range(3), (3 * 128, 4 * 16 * 16))


def test_the_draft_is_one_layer_of_attention_and_experts_unless_said_otherwise() -> None:
    draft = read(**TINY).draft
    assert draft is not None
    assert [list(layer.names) for layer in draft.layers] == [["attention", "experts"]]
    assert read(**TINY, num_nextn_predict_layers=0).draft is None


def test_the_gate_of_a_biased_attention_has_a_bias_too() -> None:
    plain, biased = read(**TINY), read(**TINY, attention_bias=True)
    query_and_gate, keys_and_values, output = 2 * 4 * 256, 2 * 2 * 256, 64
    assert total(biased) - total(plain) == query_and_gate + keys_and_values + output


def test_the_draft_is_not_among_the_parameters_of_the_language_model() -> None:
    assert total(read(**TINY, num_nextn_predict_layers=8)) == total(read(**TINY))
