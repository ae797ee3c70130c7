"""PLaMo-2: a step of layers of which one attends, windows, and mixers of its own."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import mixers, read, state, total, windows

TINY = {
    "model_type": "plamo2",
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "rms_norm_eps": 1e-06,
    "tie_word_embeddings": True,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "hidden_size_per_head": 16,
    "max_position_embeddings": 4096,
    "attention_window_size": 64,
    "full_attention_idx": None,
    "mamba_d_state": 8,
    "mamba_d_conv": 4,
    "mamba_num_heads": 4,
    "mamba_step": 2,
    "mamba_chunk_size": 16,
    "mamba_enabled": True,
    "intermediate_size": 96,
    "vocab_size": 128,
}


def test_parameters_are_what_mlx_builds() -> None:
    assert total(read(**TINY)) == 143_800


def test_state_is_a_window_over_x_alone_and_a_matrix_for_each_head() -> None:
    assert state(read(**TINY)) == dict.fromkeys([0, 2], (64 * 3, 4 * 16 * 8))


@pytest.mark.parametrize(
    ("fields", "pattern"),
    [
        ({}, "msms"),
        ({"mamba_step": 4}, "mmsm"),
        ({"mamba_step": 8}, "mmms"),
        ({"mamba_enabled": False}, "ssss"),
        ({"full_attention_idx": [1]}, "mams"),
    ],
)
def test_one_layer_of_a_step_attends(fields: dict[str, object], pattern: str) -> None:
    assert mixers(read(**TINY | fields)) == pattern


def test_attention_keeps_the_last_tokens_only() -> None:
    assert windows(read(**TINY)) == [64, 64]
