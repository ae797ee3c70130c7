"""Ling 3 and Ling 2.5: one model type, two kinds of linear layer."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import (
    bytes_per_slot,
    kv_per_token,
    mixers,
    published,
    read,
    state,
    total,
)

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "moe_intermediate_size": 32,
    "num_hidden_layers": 6,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "kv_lora_rank": 32,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "num_experts": 8,
    "num_experts_per_token": 2,
    "num_expert_group": 2,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    "layer_group_size": 3,
    "linear_head_dim": 16,
    "linear_num_heads": 4,
    "pad_token_id": 0,
    "eos_token_id": 2,
    "model_type": "bailing_hybrid",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 468_176, "measured"),
        ({"model_type": "bailing_hybrid"}, 124_414_191_072, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys([0, 1, 3, 4], (576, 1024))
    assert kv_per_token(model) == 80


def test_the_last_layer_of_every_group_attends() -> None:
    assert mixers(read(**TINY)) == "llmllm"
    assert mixers(read(**TINY | {"num_hidden_layers": 5})) == "llmll"


def test_ling_3_has_kda_as_mlx_counts_it() -> None:
    model = published("inclusionAI__Ling-3.0-tiny")
    biases_of_routers = 23 * 128
    assert total(model) == 7_893_392_800 - biases_of_routers
    assert bytes_per_slot(model) == 19_537_920
    assert model.hints.layer_group_size == 4


def test_ling_2_5_has_lightning_attention_by_its_class() -> None:
    model = read(**TINY, architectures=["BailingMoeV2_5ForCausalLM"], group_norm_size=2)
    assert state(model)[0] == (4 * 16 * 16,)
    assert model.hints.group_norm_size == 2
    assert read(**TINY, architectures=["BailingMoeV3ForCausalLM"]) != model


def test_a_draft_stands_only_where_the_file_says_so() -> None:
    assert read(**TINY).draft is None
    draft = read(**TINY, num_nextn_predict_layers=1).draft
    assert draft is not None
    assert [list(layer.names) for layer in draft.layers] == [["mla", "experts"]]
