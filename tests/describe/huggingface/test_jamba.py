"""Jamba: periods of attention and of experts, and the norms inside its mixer."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_experts": 4,
    "expert_layer_period": 2,
    "expert_layer_offset": 1,
    "attn_layer_period": 4,
    "attn_layer_offset": 2,
    "mamba_d_state": 8,
    "mamba_dt_rank": 4,
    "use_mamba_kernels": False,
    "model_type": "jamba",
}
RENAMED = {k: v for k, v in TINY.items() if k != "num_experts"} | {"num_local_experts": 8}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 107_420, "measured"),
        (RENAMED, 156_828, "measured with eight experts, by their other name"),
        ({"model_type": "jamba"}, 51_570_323_328, "class defaults, which are Jamba-1.5-Mini"),
        (TINY | {"num_experts": 1, "num_experts_per_tok": 1}, 70_300, "built"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters"),
    [
        ({}, 99_292),
        ({"num_labels": 1}, 99_260),
        ({"id2label": {"0": "a", "1": "b", "2": "c"}}, 99_324),
        ({"num_labels": 5, "tie_word_embeddings": True}, 99_388),
    ],
)
def test_a_classifier_has_a_row_for_each_label_in_place_of_a_head(
    fields: dict[str, object], parameters: int
) -> None:
    classifier = {"architectures": ["JambaForSequenceClassification"]}
    assert total(read(**TINY | fields | classifier)) == parameters


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys([0, 1, 3], (192, 512))
    assert kv_per_token(model) == 32


def test_attention_and_experts_come_in_periods() -> None:
    model = read(**TINY)
    assert mixers(model) == "mmam"
    assert [list(layer.names)[1] for layer in model.layers] == ["mlp", "experts"] * 2


def test_one_expert_is_a_dense_network() -> None:
    model = read(**TINY | {"num_experts": 1, "num_experts_per_tok": 1})
    assert list(model.blocks) == ["mamba", "attention", "mlp"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"attn_layer_offset": 4}, "attn_layer_offset: an offset of 4 in a period of 4"),
        ({"expert_layer_offset": 2}, "expert_layer_offset: an offset of 2 in a period of 2"),
        ({"mamba_dt_rank": "all"}, "mamba_dt_rank: expected a whole number"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
