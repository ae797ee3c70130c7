"""Zamba2: shared blocks in turn, adapters, and the names of files from before transformers."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, read, state, total

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "n_mamba_heads": 8,
    "mamba_d_state": 16,
    "mamba_ngroups": 2,
    "mamba_expand": 2,
    "num_mem_blocks": 2,
    "layers_block_type": ["mamba", "mamba", "hybrid", "mamba", "hybrid"],
    "use_mem_rope": True,
    "chunk_size": 8,
    "use_shared_attention_adapter": False,
    "adapter_rank": 8,
    "model_type": "zamba2",
}

# Zamba2-7B as published in its older schema.
OLDER = {
    "architectures": ["Zamba2ForCausalLM"],
    "conv_dimension": 4,
    "expansion_factor": 2,
    "ffn_hidden_size": 14336,
    "hidden_size": 3584,
    "lora_rank": 128,
    "mamba_headdim": 64,
    "mamba_ngroups": 2,
    "model_type": "zamba2",
    "num_attention_heads": 32,
    "num_hidden_layers": 81,
    "num_key_value_heads": 32,
    "num_mem_blocks": 2,
    "state_size": 64,
    "torch_dtype": "bfloat16",
    "use_shared_attention_lora": False,
    "vocab_size": 32000,
    "layers_block_type": [
        "hybrid" if i in [6, 11, 17, 23, 29, 35, 41, 47, 53, 59, 65, 71, 77] else "mamba"
        for i in range(81)
    ],
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 332_472, "measured"),
        (TINY | {"head_dim": 64}, 447_160, "measured"),
        (TINY | {"attention_head_dim": 96}, 561_848, "measured"),
        ({"model_type": "zamba2"}, 2_481_848_336, "class defaults"),
        (OLDER, 7_356_749_648, "Zamba2-7B with its fields renamed"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(5), (576, 2048))
    assert kv_per_token(model) == 512


def test_the_older_names_mean_the_same_sizes() -> None:
    model = read(**OLDER)
    assert state(model)[0] == ((7168 + 2 * 2 * 64) * 3, 112 * 64 * 64)
    assert kv_per_token(model) == 13 * 2 * 32 * 224


def test_hybrid_layers_take_the_shared_blocks_in_turn() -> None:
    names = [next(layer.names) for layer in read(**TINY).layers]
    assert names == ["mamba", "mamba", "attention_1", "mamba", "attention_2"]


def test_a_long_context_is_sixteen_thousand_tokens() -> None:
    assert read(**TINY).max_context == 4096
    assert read(**TINY, use_long_context=True).max_context == 16384


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"n_mamba_heads": 7}, "n_mamba_heads: an inner width of 128 is no multiple of 7 heads"),
        ({"num_hidden_layers": 6}, "layers_block_type: 5 entries for 6 layers"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
