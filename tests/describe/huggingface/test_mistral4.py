"""Mistral 4: latent attention and experts, in all but the first layers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import EXPERTS, LATENT, SMALL, built

MISTRAL4 = SMALL | EXPERTS | LATENT | {"model_type": "mistral4", "n_routed_experts": 4}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (MISTRAL4, 185_568, 960),
        (MISTRAL4 | {"first_k_dense_replace": 2}, 160_480, 960),
        (MISTRAL4 | {"q_lora_rank": None, "n_shared_experts": 0}, 162_432, 960),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("mistral4", 118_972_826_624),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters
