"""GLM-5-Next: KDA beside sparse latent attention, indexers that layers share, residual streams."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total

TEXT = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "moe_intermediate_size": 32,
    "num_hidden_layers": 8,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "n_routed_experts": 4,
    "kv_lora_rank": 32,
    "q_lora_rank": 48,
    "v_head_dim": 16,
    "qk_nope_head_dim": 16,
    "index_head_dim": 16,
    "index_n_heads": 4,
    "linear_head_dim": 16,
    "linear_num_heads": 4,
    "vocab_size": 256,
    "num_experts_per_tok": 2,
    "index_topk": 16,
    "index_kpool": 4,
}


# Built by transformers 5.24.0 from the same fields.
def test_parameters_are_what_transformers_builds() -> None:
    model = read(model_type="glm5_next", text_config=TEXT, vision_config={})
    assert total(model) == 516_168
    assert model.vision_parameters == 460_072_448


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(model_type="glm5_next_text", **TEXT)
    assert mixers(model) == "kkkmkkkm"
    assert state(model) == dict.fromkeys([0, 1, 2, 4, 5, 6], (3 * 64 * 3, 4 * 16 * 16))
    assert kv_per_token(model) == 2 * (32 + 2 * 16 + 1)


def test_the_text_may_stand_at_the_top_level() -> None:
    assert total(read(model_type="glm5_next", **TEXT)) == 516_168


@pytest.mark.parametrize(
    ("fields", "indexers"),
    [
        ({}, 2),
        ({"indexer_types": ["full"] * 4 + ["shared"] * 4}, 1),
        ({"index_topk_pattern": "FFFFSSSS"}, 1),
        ({"index_topk_freq": 2}, 2),
        ({"index_topk_freq": 2, "index_skip_topk_offset": 1}, 0),
    ],
)
def test_layers_may_share_an_indexer(fields: dict[str, object], indexers: int) -> None:
    layers = read(model_type="glm5_next_text", **TEXT | fields).layers
    assert sum("indexer" in layer.names for layer in layers) == indexers


@pytest.mark.parametrize(
    ("fields", "bound"),
    [
        ({}, -5.0),
        ({"linear_lower_bound": None}, None),
        ({"linear_attn_config": {"gate_lower_bound": -2.5}}, -2.5),
    ],
)
def test_the_bound_of_the_gate_is_a_hint(fields: dict[str, object], bound: float | None) -> None:
    assert read(model_type="glm5_next_text", **TEXT | fields).hints.gate_lower_bound == bound


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"qk_rope_head_dim": 64}, "qk_rope_head_dim: this sparse attention has no rotary part"),
        ({"index_topk_pattern": "FS"}, "index_topk_pattern: expected a letter F or S for 8 layers"),
        ({"indexer_types": ["half"] * 8}, r"indexer_types\[0\]: unknown kind of layer 'half'"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(model_type="glm5_next_text", **TEXT | fields)
