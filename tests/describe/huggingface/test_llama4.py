"""Llama 4: chunks, experts in some layers, vision."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import mixers, read, total, windows

TINY = {
    "model_type": "llama4_text",
    "head_dim": 16,
    "num_local_experts": 4,
    "intermediate_size_mlp": 128,
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
        ({}, 452_160),
        ({"interleave_moe_layer_step": 2}, 316_480),
        ({"attention_bias": True}, 452_928),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int
) -> None:
    assert total(read(**TINY | fields)) == parameters


@pytest.mark.parametrize(
    ("fields", "pattern"),
    [
        ({}, "ccca"),
        ({"attention_chunk_size": None}, "aaaa"),
        ({"no_rope_layers": [1, 0, 1, 0]}, "caca"),
        ({"no_rope_layers": [], "no_rope_layer_interval": 2}, "caca"),
    ],
)
def test_rotary_layers_attend_inside_a_chunk(fields: dict[str, object], pattern: str) -> None:
    model = read(**TINY | fields)
    assert mixers(model) == pattern
    assert windows(model) == [8192] * pattern.count("c")


def test_a_list_that_is_too_short_is_refused() -> None:
    with pytest.raises(DescriptionError, match="no_rope_layers: 2 entries for 4 layers"):
        read(**TINY, no_rope_layers=[1, 0])


def test_the_tower_is_counted_apart_as_transformers_builds_it() -> None:
    model = read(model_type="llama4", text_config={}, vision_config={})
    assert total(model) == 107_769_861_120
    assert model.vision_parameters == 455_178_240


def test_the_adapter_of_the_tower_has_two_widths() -> None:
    # Built by transformers 5.24.0 from the same fields.
    vision = {
        "hidden_size": 32,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "patch_size": 4,
        "image_size": 16,
        "vision_output_dim": 64,
        "projector_input_dim": 48,
        "projector_output_dim": 64,
    }
    model = read(model_type="llama4", text_config={"hidden_size": 64}, vision_config=vision)
    assert model.vision_parameters == 41_984
