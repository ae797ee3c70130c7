"""LFM2-VL: the language model is an LFM2, the tower a SigLIP-2."""

from __future__ import annotations

from tests.describe.huggingface.measure import published, read, total

TINY = {
    "model_type": "lfm2_vl",
    "text_config": {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 256,
    },
    "vision_config": {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_patches": 16,
        "patch_size": 4,
    },
}


def test_the_tower_is_counted_apart_as_transformers_builds_it() -> None:
    model = read(**TINY)
    assert total(model) == 3_187_072
    assert model.vision_parameters == 519_024
    assert model.hints.multimodal


def test_the_published_model_has_its_recorded_sizes() -> None:
    model = published("LiquidAI__LFM2.5-VL-1.6B")
    assert total(model) == 1_170_340_608
    assert total(model) + model.vision_parameters == 1_596_625_904


def test_a_head_and_a_norm_may_be_left_out() -> None:
    vision = {**TINY["vision_config"], "vision_use_head": False}  # type: ignore[dict-item]
    model = read(**TINY | {"vision_config": vision, "projector_use_layernorm": False})
    assert model.vision_parameters < read(**TINY).vision_parameters
