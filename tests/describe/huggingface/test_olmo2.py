"""OLMo 2 and 3: norms over all heads, and windows in three layers of four."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total, windows
from tests.describe.huggingface.plain import SMALL, built

OLMO2 = SMALL | {"model_type": "olmo2"}
OLMO3 = SMALL | {"model_type": "olmo3", "sliding_window": 4}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (OLMO2, 156_608, 3_072),
        (OLMO2 | {"attention_bias": True}, 157_376, 3_072),
        (OLMO2 | {"num_key_value_heads": None}, 173_120, 6_144),
        (OLMO3, 156_608, 1_920),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("olmo2", 6_888_624_128),
        ("olmo3", 6_888_624_128),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


def test_the_window_of_olmo_3_may_be_switched_off() -> None:
    assert windows(read(**OLMO3)) == [4, 4, 4]
    assert windows(read(**OLMO3, layer_types=["full_attention"] * 4)) == []
    assert windows(read(**OLMO2, sliding_window=4)) == []
