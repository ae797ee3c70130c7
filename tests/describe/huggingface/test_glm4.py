"""GLM-4: sandwich norms and biases on the way in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import SMALL, built

GLM4 = SMALL | {"model_type": "glm4", "head_dim": 16}
GLM = SMALL | {"model_type": "glm", "head_dim": 16}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (GLM4, 157_248, 3_072),
        (GLM4 | {"attention_bias": False}, 156_736, 3_072),
        (GLM4 | {"head_dim": 32}, 206_912, 6_144),
        (GLM, 156_736, 3_072),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("glm4", 9_400_279_040),
        ("glm", 9_399_951_360),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters
