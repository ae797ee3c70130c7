"""RWKV-4: its running sums, its shifts, and the width that transformers cannot run."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "attention_hidden_size": 64,
    "intermediate_size": 128,
    "model_type": "rwkv",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 145_728, "measured"),
        ({"model_type": "rwkv"}, 7_392_649_216, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (64, 64, 64, 64, 64))
    assert kv_per_token(model) == 0


def test_an_attention_of_another_width_is_refused() -> None:
    with pytest.raises(DescriptionError, match="attention_hidden_size: 32 is not hidden_size 64"):
        read(**TINY | {"attention_hidden_size": 32})


def test_the_length_has_two_names() -> None:
    assert read(**TINY).max_context == 1024
    assert read(**TINY, context_length=64).max_context == 64
