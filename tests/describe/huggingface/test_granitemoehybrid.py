"""Granite 4: experts beside a shared network, the network alone, and no list of layers."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, published, read, state, total

TINY = {
    "model_type": "granitemoehybrid",
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "layer_types": ["mamba", "mamba", "attention", "mamba"],
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "shared_intermediate_size": 64,
    "mamba_n_heads": 8,
    "mamba_d_head": 16,
    "mamba_n_groups": 1,
    "mamba_d_state": 16,
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        ({}, 474_984, "measured"),
        ({"num_local_experts": 0, "num_experts_per_tok": 0}, 179_048, "measured, no experts"),
        ({"num_local_experts": 1, "num_experts_per_tok": 0}, 253_032, "built and run"),
        ({"num_experts_per_tok": 0}, 474_984, "built and run, no expert for any token"),
        ({"shared_intermediate_size": 0}, 425_832, "built and run, no shared network"),
        ({"mamba_d_head": "auto"}, 474_984, "measured, the same width by another word"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**TINY | fields)) == parameters, source


def test_the_class_defaults_are_transformers_own() -> None:
    assert total(read(model_type="granitemoehybrid")) == 38_601_064_448


def test_without_a_list_every_layer_is_mamba() -> None:
    model = read(model_type="granitemoehybrid")
    assert mixers(model) == "m" * 32
    assert kv_per_token(model) == 0


@pytest.mark.parametrize("name", ["layer_types", "layers_block_type"])
@pytest.mark.parametrize("words", [("mamba", "attention"), ("linear_attention", "full_attention")])
def test_the_list_has_several_spellings(name: str, words: tuple[str, str]) -> None:
    fields = {k: v for k, v in TINY.items() if k != "layer_types"} | {name: list(words) * 2}
    assert mixers(read(**fields)) == "mama"


def test_the_state_is_what_transformers_measures_less_a_column() -> None:
    assert state(read(**TINY)) == dict.fromkeys([0, 1, 3], (160 * 3, 8 * 16 * 16))


def test_the_published_model_has_its_recorded_sizes() -> None:
    assert total(published("ibm-granite__granite-4.0-h-tiny")) == 6_939_037_248


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mamba_n_heads": 7}, "mamba_n_heads: 7 heads of 16 make no inner width of 128"),
        ({"layer_types": ["mamba"] * 3}, "layer_types: 3 entries for 4 layers"),
        ({"layer_types": ["mamba", "x"] * 2}, r"layer_types\[1\]: unknown kind of layer 'x'"),
        ({"num_experts_per_tok": 5}, "num_experts_per_tok: experts_per_token 5 exceeds"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
