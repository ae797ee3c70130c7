"""GigaChat 3.5: state and cache of SGLang's classes, gates of norms, layers by two lists."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total

TINY = {
    "model_type": "gigachat3_5",
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "moe_intermediate_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "q_lora_rank": 24,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4,
    "v_head_dim": 8,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "full_attention_layers": [3],
}
PLAIN = {"norm_type": "LlamaRMSNorm", "layernorm_type": "pre"}


def test_parameters_are_the_sum_of_what_sglang_builds() -> None:
    # models/gigachat35.py of 0.5.23; parts by their formulas in transformers 5.24.0.
    delta = 64 * (2 * 32 + 2 * 64 + 2 * 4) + (2 * 32 + 64) * 4 + 2 * 4 + 16 + 64 * 64
    queries = 64 * 24 + 24 + 24 * 4 * 12
    latent = queries + 64 * 20 + 16 + 16 * 4 * 16 + 4 * 8 * 64 + 64 * 4 * 8
    experts = 4 * (64 + 3 * 64 * 32) + 3 * 64 * 64
    norms = 64 * (2 * 4 + 1)
    expected = 2 * 256 * 64 + 3 * delta + latent + 3 * 64 * 96 + 3 * experts + norms
    model = read(**TINY | PLAIN)
    assert total(model) == expected
    assert model.parameters == "approximate"


@pytest.mark.parametrize(("placed", "norms"), [("pre", 2), ("pre_post", 4), ("post", 4)])
def test_a_gated_norm_has_two_matrices_of_rank_sixteen(placed: str, norms: int) -> None:
    fields = {"layernorm_type": placed}
    plain, gated = (
        total(read(**TINY | fields | {"norm_type": kind})) for kind in ("LlamaRMSNorm", "GatedNorm")
    )
    assert gated - plain == 2 * 16 * (64 * (4 * norms + 1) + 24 + 16)


def test_state_and_cache_are_those_of_sglang() -> None:
    # configs/gigachat35.py: conv channels 2·Hk·dk + Hv·dv, temporal (Hv, dv, dk).
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (128 * 3, 4 * 16 * 16))
    assert kv_per_token(model) == 16 + 4


@pytest.mark.parametrize(
    ("fields", "pattern"),
    [
        ({}, "dddm"),
        ({"full_attention_layers": [0, 2]}, "mdmd"),
        ({"layer_types": ["attention", "linear_attention"] * 2}, "mdmd"),
        ({"layer_types": ["full_attention"] * 4}, "mmmm"),
        ({"full_attention_layers": None}, "dddd"),
    ],
)
def test_layers_attend_by_one_of_two_lists(fields: dict[str, object], pattern: str) -> None:
    assert mixers(read(**TINY | fields)) == pattern


@pytest.mark.parametrize(("sparse", "feed"), [(False, "mlp"), (True, "experts")])
def test_a_draft_layer_attends(sparse: bool, feed: str) -> None:
    draft = read(**TINY, num_nextn_predict_layers=2, nextn_is_sparse=sparse).draft
    assert draft is not None
    assert [list(layer.names) for layer in draft.layers] == [["mla", feed]] * 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"full_attention_layers": [4]}, r"full_attention_layers\[0\]: layer 4 of 4"),
        ({"layer_types": ["swa"] * 4}, r"layer_types\[0\]: unknown kind of layer 'swa'"),
        ({"norm_type": "LayerNorm"}, "norm_type: unknown value 'LayerNorm'"),
        ({"layernorm_type": "both"}, "layernorm_type: unknown value 'both'"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
