"""LFM3-VL: the language model is an LFM3, the tower convolves and attends."""

from __future__ import annotations

from tests.describe.huggingface.measure import read, total

TINY = {
    "model_type": "lfm3_vl",
    "projector_hidden_size": 96,
    "text_config": {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "vocab_size": 256,
        "pad_token_id": 0,
    },
    "vision_config": {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "patch_size": 4,
    },
}


def test_the_tower_is_counted_apart_as_transformers_builds_it() -> None:
    model = read(**TINY)
    assert total(model) == 2_999_744
    assert model.vision_parameters == 56_688
    assert model.hints.multimodal
