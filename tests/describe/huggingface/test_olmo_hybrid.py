"""OLMo-Hybrid: keys narrower than values, norms over all heads, at least one attention."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "linear_num_key_heads": 4,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 12,
    "linear_value_head_dim": 24,
    "pad_token_id": 0,
    "eos_token_id": 2,
    "model_type": "olmo_hybrid",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 201_248, "measured"),
        ({"model_type": "olmo_hybrid"}, 7_430_870_688, "class defaults, which are Olmo-Hybrid-7B"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (576, 1152))
    assert kv_per_token(model) == 128


def test_heads_and_widths_follow_from_attention() -> None:
    assert state(read(model_type="olmo_hybrid"))[0] == (11520 * 3, 30 * 96 * 192)


@pytest.mark.parametrize(("length", "pattern"), [(3, "dda"), (5, "dddad"), (8, "ddda" * 2)])
def test_every_fourth_layer_attends_and_of_fewer_the_last(length: int, pattern: str) -> None:
    assert mixers(read(**TINY | {"num_hidden_layers": length})) == pattern
