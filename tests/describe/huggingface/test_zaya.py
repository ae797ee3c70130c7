"""ZAYA: two convolutions and a delayed value, a router with a network, older files."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, read, state, total, windows

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "moe_intermediate_size": 64,
    "num_experts": 4,
    "router_hidden_size": 32,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "model_type": "zaya",
}

# ZAYA1-8B as published at first: 80 layers, every other one experts.
LEGACY = {
    "architectures": ["ZayaForCausalLM"],
    "cca": True,
    "ffn_hidden_size": 4096,
    "head_dim": 128,
    "hidden_size": 2048,
    "mamba_cache_dtype": "float32",
    "model_type": "zaya",
    "moe_router_topk": 1,
    "num_attention_heads": 8,
    "num_experts": 16,
    "num_hidden_layers": 80,
    "num_key_value_heads": 2,
    "vocab_size": 262272,
    "zaya_mlp_expansion": 256,
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 226_406, "measured"),
        (TINY | {"head_dim": 15}, 222_914, "built and run"),
        ({"model_type": "zaya"}, 8_840_488_784, "class defaults, which are ZAYA1-8B"),
        (LEGACY, 8_840_488_784, "ZAYA1-8B in its older schema"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (192, 16))
    assert kv_per_token(model) == 192


def test_older_files_count_attention_and_experts_as_layers_of_their_own() -> None:
    model = read(**LEGACY)
    assert model.num_layers == 40
    assert model.hints.legacy_layers
    assert model.hints.mamba_cache_dtype == "float32"
    assert state(model)[0] == (1280 * 2, 128)


def test_sliding_layers_keep_the_last_tokens_only() -> None:
    kinds = ["hybrid", "hybrid_sliding", "hybrid"]
    assert windows(read(**TINY, layer_types=kinds, sliding_window=8)) == [8]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"layer_types": ["hybrid_sliding"] * 3}, "sliding_window: is missing"),
        ({"cca": True, "num_hidden_layers": 79}, "num_hidden_layers: 79 layers are no pairs"),
        ({"head_dim": 15, "num_key_value_heads": 1}, "num_key_value_heads: head_dim 15 x"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
