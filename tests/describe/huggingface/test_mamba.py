"""Mamba and Falcon-Mamba: the inner width, its aliases and floats that JSON does not have."""

from __future__ import annotations

import pytest

from ferrum_cli.describe import config_json
from ferrum_cli.dtype import DType
from tests.describe.huggingface.measure import kv_per_token, read, state, total

TINY = {"vocab_size": 256, "hidden_size": 32, "state_size": 8, "num_hidden_layers": 3}

# falcon-mamba-7b as published: `expand: 16` beside the width that counts.
FALCON = {
    "architectures": ["FalconMambaForCausalLM"],
    "model_type": "falcon_mamba",
    "conv_kernel": 4,
    "expand": 16,
    "hidden_size": 4096,
    "intermediate_size": 8192,
    "num_hidden_layers": 64,
    "state_size": 16,
    "time_step_rank": 256,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "vocab_size": 65024,
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        ({"model_type": "mamba"} | TINY, 33_472, "measured"),
        ({"model_type": "falcon_mamba"} | TINY, 33_472, "measured"),
        (
            {
                "model_type": "mamba",
                "vocab_size": 256,
                "hidden_size": 32,
                "state_size": 16,
                "num_hidden_layers": 2,
                "expand": 3,
                "conv_kernel": 5,
                "tie_word_embeddings": False,
            },
            46_432,
            "measured, expand 3, kernel 5",
        ),
        ({"model_type": "mamba"}, 159_308_544, "class defaults"),
        (FALCON, 7_272_665_088, "falcon-mamba-7b"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_the_intermediate_size_counts_before_expand() -> None:
    assert state(read(**FALCON))[0] == (8192 * 3, 8192 * 16)


def test_every_layer_keeps_state_and_none_a_cache() -> None:
    model = read(model_type="mamba", **TINY)
    assert state(model) == dict.fromkeys(range(3), (64 * 3, 64 * 8))
    assert kv_per_token(model) == 0


def test_a_model_without_a_length_says_so() -> None:
    assert read(**FALCON).hints.unlimited_context
    limited = read(**FALCON, max_position_embeddings=2048)
    assert limited.max_context == 2048
    assert limited.hints.unlimited_context is None


@pytest.mark.parametrize(
    "limit", ["[0.0, Infinity]", '[0.0, {"__float__": "Infinity"}]', "[-Infinity, NaN]"]
)
def test_floats_that_json_does_not_have_are_read(limit: str) -> None:
    text = f'{{"model_type": "mamba", "time_step_limit": {limit}, "torch_dtype": "float32"}}'
    assert config_json.parse(text.encode(), "config.json").dtype is DType.FP32
