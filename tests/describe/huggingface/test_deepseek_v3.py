"""DeepSeek-V2 and V3: the latent as it is cached, dense layers first, drafts."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import kv_bytes_per_token, published, read, total

TINY = {
    "model_type": "deepseek_v3",
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "kv_lora_rank": 32,
    "q_lora_rank": 24,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
}


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters"),
    [
        ({}, 203_040),
        ({"q_lora_rank": None}, 212_160),
        ({"attention_bias": True}, 203_552),
        ({"model_type": "deepseek_v2", "n_shared_experts": 2}, 339_744),
        ({"model_type": "deepseek_v2", "first_k_dense_replace": 1, "mlp_bias": True}, 297_056),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int
) -> None:
    assert total(read(**TINY | fields)) == parameters


def test_the_published_model_has_its_sizes() -> None:
    model = published("deepseek-ai__DeepSeek-V3")
    assert total(model) == 671_026_404_352
    assert kv_bytes_per_token(model) == 61 * 576 * 2
    assert model.draft is not None
    assert model.hints.quantization_method == "fp8"


@pytest.mark.parametrize(
    ("fields", "drafts"),
    [
        ({}, 1),
        ({"num_nextn_predict_layers": 0}, 0),
        ({"num_mtp_layers": 2}, 2),
        ({"model_type": "deepseek_v2"}, 0),
    ],
)
def test_drafts_are_layers_of_their_own(fields: dict[str, object], drafts: int) -> None:
    draft = read(**TINY | fields).draft
    assert len(draft.layers if draft else ()) == drafts
