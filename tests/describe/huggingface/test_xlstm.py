"""xLSTM: widths by factors, aliases where a name is null, biases."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 128,
    "num_hidden_layers": 3,
    "num_heads": 4,
    "qk_dim_factor": 0.5,
    "v_dim_factor": 1.0,
    "chunk_size": 8,
    "model_type": "xlstm",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 708_888, "measured"),
        ({"model_type": "xlstm"}, 6_865_424_896, "class defaults, which are xLSTM-7b"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (2048, 64, 4))
    assert kv_per_token(model) == 0


@pytest.mark.parametrize(
    ("name", "alias"), [("hidden_size", "embedding_dim"), ("num_hidden_layers", "num_blocks")]
)
def test_a_null_takes_its_alias(name: str, alias: str) -> None:
    assert total(read(**TINY | {name: None, alias: TINY[name]})) == 708_888


def test_the_cache_may_be_made_for_more_layers_than_are_built() -> None:
    # transformers 5.24.0: weights of num_blocks layers, xLSTMCache of num_hidden_layers.
    model = read(**TINY | {"num_blocks": 2})
    assert total(model) == 494_480
    assert model.hints.cached_layers == 3
    assert read(model_type="xlstm", num_blocks=2).hints.cached_layers == 32
    assert read(**TINY | {"num_blocks": 3}).hints.cached_layers is None


def test_embeddings_are_never_tied() -> None:
    assert total(read(**TINY, tie_word_embeddings=True)) == 708_888


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"qk_dim_factor": 0.3}, "qk_dim_factor: a width of 38 is no multiple of 4 heads"),
        ({"qk_dim_factor": 0.25}, "num_heads x qk_head_dim is 32, which is no multiple of 64"),
        ({"num_blocks": 4}, "num_blocks: 4 is more than num_hidden_layers 3"),
        ({"embedding_dim": 256}, "embedding_dim: 256 is not hidden_size 128"),
        ({"ffn_proj_factor": 0.0}, "ffn_proj_factor: leaves a width of 0"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
