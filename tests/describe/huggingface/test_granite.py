"""Granite 3: dense, with experts, and with a shared network beside them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import SMALL, built

GRANITE = SMALL | {"model_type": "granite"}
GRANITEMOE = SMALL | {"model_type": "granitemoe", "num_local_experts": 4, "num_experts_per_tok": 2}
GRANITEMOESHARED = SMALL | {
    "model_type": "granitemoeshared",
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "shared_intermediate_size": 48,
}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (GRANITE, 156_224, 3_072),
        (GRANITE | {"attention_bias": True, "mlp_bias": True}, 158_016, 3_072),
        (GRANITEMOE, 378_432, 3_072),
        (GRANITEMOESHARED, 415_296, 3_072),
        (GRANITEMOESHARED | {"shared_intermediate_size": 0}, 378_432, 3_072),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("granite", 6_738_415_616),
        ("granitemoe", 37_039_116_288),
        ("granitemoeshared", 37_039_116_288),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters
