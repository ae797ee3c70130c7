"""Bamba: indices of attention, and none of them, which leaves Mamba-2 alone."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "attn_layer_indices": [2],
    "mamba_n_heads": 8,
    "mamba_d_head": 16,
    "mamba_n_groups": 2,
    "mamba_d_state": 16,
    "mamba_chunk_size": 8,
    "model_type": "bamba",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 210_248, "measured"),
        (
            {
                "model_type": "bamba",
                "attn_layer_indices": [9, 18, 27],
                "mamba_d_state": 128,
                "vocab_size": 128256,
            },
            9_780_235_392,
            "Bamba-9B",
        ),
        ({"model_type": "bamba"}, 9_992_765_440, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys([0, 1, 3], (576, 2048))
    assert kv_per_token(model) == 64


@pytest.mark.parametrize("indices", [None, []])
def test_without_indices_every_layer_is_mamba(indices: list[int] | None) -> None:
    model = read(**TINY | {"attn_layer_indices": indices})
    assert mixers(model) == "mmmm"
    assert kv_per_token(model) == 0
