"""Falcon-H1: attention and Mamba-2 side by side, and the width that `mamba_d_ssm` gives."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, published, read, state, total

TINY = {
    "model_type": "falcon_h1",
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "mamba_d_ssm": 96,
    "mamba_n_heads": 6,
    "mamba_d_head": 16,
    "mamba_n_groups": 1,
    "mamba_d_state": 16,
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 189_942, "measured"),
        ({"model_type": "falcon_h1"}, 8_514_961_408, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_every_layer_keeps_state_and_cache_behind_one_norm() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (128 * 3, 6 * 16 * 16))
    assert kv_per_token(model) == 3 * 2 * 2 * 16
    assert next(model.layers).entries == (("attention", "mamba"), ("mlp",))


@pytest.mark.parametrize(
    ("fields", "inner"),
    [
        ({}, 96),
        ({"mamba_expand": 16}, 96),
        ({"mamba_d_ssm": None, "mamba_n_heads": 8}, 128),
        ({"mamba_d_head": "auto"}, 96),
    ],
)
def test_expand_counts_only_where_the_width_is_null(fields: dict[str, object], inner: int) -> None:
    assert state(read(**TINY | fields))[0][1] == inner * 16


def test_a_file_without_the_width_means_what_its_heads_make_and_says_so() -> None:
    model = read(**{name: value for name, value in TINY.items() if name != "mamba_d_ssm"})
    assert state(model)[0][1] == 96 * 16
    assert model.hints.class_inner_size == 1024
    assert any("would refuse this file" in note for note in model.notes)


def test_a_width_that_heads_do_not_make_is_refused() -> None:
    with pytest.raises(DescriptionError, match="6 heads of 16 make no inner width of 100"):
        read(**TINY | {"mamba_d_ssm": 100})


def test_the_published_model_has_its_recorded_sizes() -> None:
    assert total(published("tiiuae__Falcon-H1-7B-Instruct")) == 7_585_513_568
