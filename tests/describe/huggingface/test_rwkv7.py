"""RWKV-7: ranks, names of converters, and the first layer without a value residual."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import kv_per_token, published, read, state, total

TINY = {
    "model_type": "rwkv7",
    "vocab_size": 128,
    "hidden_size": 64,
    "intermediate_size": 96,
    "norm_eps": 1e-05,
    "head_dim": 16,
    "num_hidden_layers": 3,
    "a_low_rank_dim": 8,
    "v_low_rank_dim": 8,
    "gate_low_rank_dim": 8,
    "decay_low_rank_dim": 8,
    "tie_word_embeddings": False,
}


def test_parameters_are_what_mlx_builds() -> None:
    assert total(read(**TINY)) == 117_504
    assert total(published("BlinkDL__rwkv7-g1i-2.9b")) == 2_947_735_040


def test_state_is_two_shifts_and_a_matrix_for_each_head() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (64, 4 * 16 * 16, 64))
    assert kv_per_token(model) == 0


def test_the_first_layer_has_no_value_residual() -> None:
    model = read(**TINY)
    assert [next(layer.names) for layer in model.layers] == ["first_rwkv", "rwkv", "rwkv"]


@pytest.mark.parametrize("name", ["head_dim", "head_size"])
def test_the_width_of_a_head_has_two_names(name: str) -> None:
    fields = {key: value for key, value in TINY.items() if key != "head_dim"}
    assert state(read(**fields, **{name: 32}))[0][1] == 2 * 32 * 32
