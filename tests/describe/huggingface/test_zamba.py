"""Zamba: one attention with feed-forward that hybrid layers share, and state in every layer."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 32,
    "attention_hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "attention_head_dim": 16,
    "num_key_value_heads": 4,
    "n_mamba_heads": 2,
    "mamba_d_state": 8,
    "mamba_dt_rank": 4,
    "attn_layer_period": 3,
    "attn_layer_offset": 2,
    "layers_block_type": ["mamba", "mamba", "hybrid", "mamba", "hybrid"],
    "use_mamba_kernels": False,
    "model_type": "zamba",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 74_208, "measured"),
        (TINY | {"attention_head_dim": 32}, 88_544, "measured"),
        (TINY | {"tie_word_embeddings": False}, 102_976, "measured: shared blocks come apart"),
        ({"model_type": "zamba"}, 7_232_490_496, "class defaults, which are Zamba-7B-v1"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(5), (192, 512))
    assert kv_per_token(model) == 256


def test_the_default_pattern_is_three_layers_and_a_period() -> None:
    model = read(model_type="zamba")
    hybrid = [i for i, layer in enumerate(model.layers) if len(list(layer.names)) > 1]
    assert hybrid == [2, *range(7, 76, 6)]


def test_shared_weights_count_once_however_many_layers_use_them() -> None:
    few = read(**TINY | {"layers_block_type": ["mamba", "mamba", "hybrid", "mamba", "mamba"]})
    linear = 32 * 32
    assert total(read(**TINY)) - total(few) == linear
    assert kv_per_token(read(**TINY)) == 2 * kv_per_token(few)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"layers_block_type": ["mamba"]}, "layers_block_type: 1 entries for 5 layers"),
        ({"n_mamba_heads": 3}, "intermediate_size 64 is no multiple of num_heads 3"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
