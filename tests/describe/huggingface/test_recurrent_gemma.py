"""RecurrentGemma: blocks in a cycle, local attention, half of the intermediate size."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total, windows

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "lru_width": 64,
    "attention_window_size": 8,
    "conv1d_width": 4,
    "block_types": ["recurrent", "recurrent", "attention"],
    "model_type": "recurrent_gemma",
}

RECURRENTGEMMA_2B = {
    "_block_types": ["recurrent", "recurrent", "attention"],
    "attention_bias": False,
    "attention_window_size": 2048,
    "conv1d_width": 4,
    "head_dim": 256,
    "hidden_size": 2560,
    "intermediate_size": 15360,
    "lru_width": 2560,
    "model_type": "recurrent_gemma",
    "num_attention_heads": 10,
    "num_hidden_layers": 26,
    "num_key_value_heads": 1,
    "vocab_size": 256000,
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 109_888, "measured"),
        ({"model_type": "recurrent_gemma"}, 2_010_263_040, "class defaults"),
        (RECURRENTGEMMA_2B, 2_682_862_080, "recurrentgemma-2b"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys([0, 1, 3], (192, 64))
    assert kv_per_token(model) == 0


def test_the_cycle_goes_on_to_the_last_layer() -> None:
    assert mixers(read(**TINY)) == "rrar"
    assert mixers(read(**TINY | {"block_types": ["attention", "recurrent"]})) == "arar"


def test_attention_keeps_the_last_tokens_only() -> None:
    assert windows(read(**TINY)) == [8]
    assert kv_per_token(read(**TINY)) == 0


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"block_types": ["mamba"]}, r"block_types\[0\]: unknown kind of layer 'mamba'"),
        ({"block_types": []}, "block_types: 0 entries make no 4 layers"),
        ({"lru_width": 66}, "lru_width: 66 is no multiple of 4 heads"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
