"""Llama: sizes of the published model, head widths and biases."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import (
    bytes_per_slot,
    kv_bytes_per_token,
    published,
    read,
    total,
)

TINY = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 256}


@pytest.mark.parametrize(
    ("name", "parameters", "token"), [("meta-llama__Meta-Llama-3.1-8B", 8_030_261_248, 131_072)]
)
def test_the_published_models_have_their_sizes(name: str, parameters: int, token: int) -> None:
    model = published(name)
    assert total(model) == parameters
    assert kv_bytes_per_token(model) == token
    assert bytes_per_slot(model) == 0


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters"),
    [
        ({"num_attention_heads": 4}, 4_292_928),
        ({"num_attention_heads": 4, "head_dim": 32, "num_key_value_heads": 2}, 4_309_312),
        ({"num_attention_heads": 4, "attention_bias": True, "mlp_bias": True}, 4_337_600),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int
) -> None:
    assert total(read(**TINY | fields)) == parameters
