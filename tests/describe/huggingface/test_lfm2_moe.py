"""LFM2 with experts: dense layers first, and a list of layers that must be there."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, published, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "moe_intermediate_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "layer_types": ["conv", "conv", "full_attention", "conv"],
    "num_dense_layers": 1,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "model_type": "lfm2_moe",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 171_936, "measured"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys([0, 1, 3], (128,))
    assert kv_per_token(model) == 64


def test_the_published_model_has_its_recorded_sizes() -> None:
    assert total(published("LiquidAI__LFM2-8B-A1B")) == 8_339_929_856


def test_the_first_layers_are_dense() -> None:
    feeds = [list(layer.names)[1] for layer in read(**TINY).layers]
    assert feeds == ["mlp", "experts", "experts", "experts"]


def test_a_file_without_layers_is_refused() -> None:
    with pytest.raises(DescriptionError, match="layer_types: is missing"):
        read(model_type="lfm2_moe")
