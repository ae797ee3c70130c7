"""Mamba-2: heads that make the inner width, groups and the published models."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import bytes_per_slot, published, read, state, total

TINY = {
    "model_type": "mamba2",
    "vocab_size": 256,
    "hidden_size": 64,
    "state_size": 16,
    "num_heads": 8,
    "head_dim": 16,
    "n_groups": 2,
    "num_hidden_layers": 3,
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 123_912, "measured"),
        (
            {
                "model_type": "mamba2",
                "vocab_size": 256,
                "hidden_size": 48,
                "state_size": 32,
                "num_heads": 6,
                "head_dim": 16,
                "n_groups": 1,
                "num_hidden_layers": 2,
                "conv_kernel": 3,
            },
            60_596,
            "measured, kernel 3, one group",
        ),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


@pytest.mark.parametrize(
    ("name", "parameters", "slot"),
    [
        ("mistralai__Mamba-Codestral-7B-v0.1", 7_285_403_648, 272_367_616),
        ("AntonV__mamba2-780m-hf", 780_161_280, 76_455_936),
    ],
)
def test_the_published_models_have_their_recorded_sizes(
    name: str, parameters: int, slot: int
) -> None:
    model = published(name)
    assert total(model) == parameters
    assert bytes_per_slot(model) == slot


def test_the_state_is_what_transformers_measures_less_a_column() -> None:
    assert state(read(**TINY)) == dict.fromkeys(range(3), (192 * 3, 8 * 16 * 16))


def test_heads_that_the_class_would_refuse_are_read_with_a_note() -> None:
    model = read(**TINY | {"num_heads": 6})
    assert state(model)[0] == (160 * 3, 6 * 16 * 16)
    assert model.hints.class_inner_size == 128
    assert any("would refuse this file" in note for note in model.notes)


def test_heads_that_share_no_groups_are_refused() -> None:
    with pytest.raises(DescriptionError, match="n_groups: num_heads 9 is no multiple of"):
        read(**TINY | {"num_heads": 9})
