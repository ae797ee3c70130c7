"""gpt-oss: sinks, windows in turn, biases everywhere."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import mixers, read, total, windows

TINY = {
    "model_type": "gpt_oss",
    "head_dim": 16,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters"),
    [
        ({}, 383_328),
        ({"attention_bias": False}, 382_560),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int
) -> None:
    assert total(read(**TINY | fields)) == parameters


def test_experts_may_go_by_their_other_name() -> None:
    renamed = {name: size for name, size in TINY.items() if name != "num_local_experts"}
    assert total(read(**renamed, num_experts=4)) == 383_328


def test_every_other_layer_slides() -> None:
    assert mixers(read(**TINY)) == "sasa"
    assert windows(read(**TINY)) == [128, 128]
