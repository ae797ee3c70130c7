"""Phi-3: a window only where one is given."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total, windows
from tests.describe.huggingface.plain import SMALL, built

PHI3 = SMALL | {"model_type": "phi3"}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (PHI3, 156_224, 3_072),
        (PHI3 | {"head_dim": 32}, 205_376, 6_144),
        (PHI3 | {"tie_word_embeddings": True}, 139_840, 3_072),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("phi3", 3_821_079_552),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({}, []), ({"sliding_window": 8}, [8] * 4), ({"sliding_window": None}, [])],
)
def test_a_window_is_for_all_layers(fields: dict[str, Any], expected: list[int]) -> None:
    assert windows(read(**PHI3 | fields)) == expected
