"""Ministral: layers that slide or attend to everything, by a list or by the window."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total, windows
from tests.describe.huggingface.plain import SMALL, built

MINISTRAL = SMALL | {"model_type": "ministral", "sliding_window": 4}
MINISTRAL3 = SMALL | {"model_type": "ministral3", "head_dim": 16}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (MINISTRAL | {"head_dim": 16}, 156_224, 1_536),
        (MINISTRAL3, 156_224, 3_072),
        (MINISTRAL3 | {"head_dim": 32}, 205_376, 6_144),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("ministral3", 8_489_553_920),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [4] * 4),
        ({"sliding_window": None}, []),
        ({"layer_types": ["full_attention", "sliding_attention"] * 2}, [4, 4]),
    ],
)
def test_a_list_says_which_layers_slide_and_else_the_window(
    fields: dict[str, Any], expected: list[int]
) -> None:
    assert windows(read(**MINISTRAL | fields)) == expected
