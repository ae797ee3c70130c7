"""MiniMax: lists of words and of numbers, and what published files call the model."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, published, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"],
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "block_size": 8,
    "model_type": "minimax",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 403_200, "measured"),
        ({"model_type": "minimax"}, 47_373_946_880, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (1024,))
    assert kv_per_token(model) == 64


def test_by_default_every_other_layer_is_lightning() -> None:
    assert mixers(read(model_type="minimax")) == "al" * 16


@pytest.mark.parametrize("model_type", ["minimax_m1", "minimax_text_01", "minimax"])
def test_the_published_list_of_numbers_is_read(model_type: str) -> None:
    fields = {name: value for name, value in TINY.items() if name != "layer_types"}
    model = read(**fields | {"model_type": model_type, "attn_type_list": [0, 1, 0, 0]})
    assert mixers(model) == "lall"


def test_the_published_model_has_its_recorded_sizes() -> None:
    model = published("MiniMaxAI__MiniMax-M1")
    assert total(model) == 456_089_655_296
    assert mixers(model) == "llllllla" * 10


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"layer_types": None, "attn_type_list": [0, 2, 0, 0]},
            r"attn_type_list\[1\]: 2 is neither 0",
        ),
        ({"layer_types": None, "attn_type_list": [0]}, "attn_type_list: 1 entries for 4 layers"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)


def test_the_class_of_transformers_ignores_a_shared_expert() -> None:
    shared = {"shared_intermediate_size": 8}
    assert total(read(**TINY | shared)) == 403_200
    published = TINY | shared | {"model_type": "minimax_text_01"}
    assert total(read(**published)) == 403_200 + 4 * 3 * 64 * 8
