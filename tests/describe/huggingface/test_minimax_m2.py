"""MiniMax M2: norms over all heads, experts by either of two names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import SMALL, built

MINIMAX_M2 = SMALL | {
    "model_type": "minimax_m2",
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "head_dim": 16,
}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (MINIMAX_M2, 378_816, 3_072),
        (MINIMAX_M2 | {"head_dim": 32}, 428_352, 6_144),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("minimax_m2", 228_689_748_992),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


def test_the_experts_have_two_names() -> None:
    fields = {k: v for k, v in MINIMAX_M2.items() if k != "num_local_experts"}
    assert built(**fields, num_experts=4) == built(**MINIMAX_M2)
