"""Ling 3 with vision: a text with defaults of its own, a tower without merger, a projector."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import mixers, read, state, total

# vLLM 0.33.0, transformers_utils/configs/bailing_moe_v3_vl.py.
TEXT = {
    "hidden_size": 2048,
    "intermediate_size": 5120,
    "num_hidden_layers": 20,
    "num_attention_heads": 16,
    "first_k_dense_replace": 1,
    "num_experts": 256,
    "moe_intermediate_size": 512,
    "layer_group_size": 5,
}


def test_the_text_has_defaults_of_its_own() -> None:
    model = read(model_type="bailing_moe_v3_vl", text_config={})
    named = read(model_type="bailing_hybrid", **TEXT)
    assert total(model) == total(named)
    assert state(model) == state(named)
    assert mixers(model) == "llllm" * 4
    assert model.max_context == 32768
    assert model.architecture == "BailingMoeV3VLForConditionalGeneration"


def test_what_the_text_says_comes_first() -> None:
    text = {"num_hidden_layers": 3, "layer_group_size": 3}
    assert mixers(read(model_type="bailing_moe_v3_vl", text_config=text)) == "llm"


# Qwen3.5's tower of transformers 5.24.0 without its merger, then two projections with biases.
@pytest.mark.parametrize(("hidden", "projector"), [(2048, 13_635_584), (64, 299_136)])
def test_the_tower_ends_in_a_projector(hidden: int, projector: int) -> None:
    text = {"hidden_size": hidden}
    model = read(model_type="bailing_moe_v3_vl", text_config=text, vision_config={})
    assert model.vision_parameters == 415_893_744 + projector
