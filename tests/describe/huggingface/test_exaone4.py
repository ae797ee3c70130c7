"""EXAONE 4: norms behind its blocks, windows by a period."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total, windows
from tests.describe.huggingface.plain import SMALL, built

EXAONE4 = SMALL | {"model_type": "exaone4", "sliding_window": 4}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (EXAONE4, 156_352, 1_920),
        (EXAONE4 | {"num_key_value_heads": 4}, 172_736, 3_840),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("exaone4", 9_429_069_824),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


@pytest.mark.parametrize(
    ("fields", "slides"),
    [
        ({}, 3),
        ({"sliding_window": None}, 0),
        ({"sliding_window_pattern": 2}, 2),
        ({"sliding_window_pattern": "LG"}, 2),
        ({"sliding_window_pattern": "LLLG"}, 3),
        ({"layer_types": ["full_attention"] * 4}, 0),
    ],
)
def test_the_last_layer_of_a_period_attends_to_everything(
    fields: dict[str, Any], slides: int
) -> None:
    assert windows(read(**EXAONE4 | fields)) == [4] * slides
