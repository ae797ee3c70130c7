"""LFM3: a gate for each head, sandwich norms, three kinds of layer."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total, windows

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "sliding_window": 8,
    "conv_L_cache": 7,
    "layer_types": ["conv", "conv", "full_attention", "conv", "sliding_attention"],
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "model_type": "lfm3",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 185_536, "measured"),
        ({"model_type": "lfm3"}, 1_728_801_536, "class defaults"),
        (TINY | {"use_sandwich_norm": False}, 184_896, "built"),
        (TINY | {"use_attention_gate": False}, 185_024, "built"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys([0, 1, 3], (384,))
    assert kv_per_token(model) == 64


def test_the_default_period_is_four_layers() -> None:
    assert mixers(read(model_type="lfm3", num_hidden_layers=9)) == "ccacscacs"


def test_sliding_layers_keep_the_last_tokens_only() -> None:
    assert windows(read(**TINY)) == [8]
