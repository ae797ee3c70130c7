"""Lara Mini: three kinds of layer in a period of five."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total, windows

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "moe_intermediate_size": 32,
    "shared_expert_intermediate_size": 32,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "sliding_window": 8,
    "layer_types": ["linear_attention", "sliding_attention", "linear_attention", "full_attention"],
    "eos_token_id": 2,
    "model_type": "lara_mini",
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 200_368, "measured"),
        ({"model_type": "lara_mini"}, 7_281_684_672, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys([0, 2], (384, 1024))
    assert kv_per_token(model) == 64


def test_the_period_is_five_layers() -> None:
    assert mixers(read(model_type="lara_mini", num_hidden_layers=7)) == "dsdasds"


def test_sliding_layers_keep_the_last_tokens_only() -> None:
    assert windows(read(**TINY)) == [8]
