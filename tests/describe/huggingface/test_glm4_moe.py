"""GLM-4.5: dense layers first, norms where asked for, latent attention in the small one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import EXPERTS, LATENT, SMALL, built

GLM4_MOE = SMALL | EXPERTS | {"model_type": "glm4_moe", "n_routed_experts": 4}
GLM4_MOE_LITE = SMALL | EXPERTS | LATENT | {"model_type": "glm4_moe_lite", "n_routed_experts": 4}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (GLM4_MOE, 193_856, 3_072),
        (GLM4_MOE | {"use_qk_norm": True, "attention_bias": True}, 194_496, 3_072),
        (GLM4_MOE | {"first_k_dense_replace": 0, "n_shared_experts": 2}, 230_976, 3_072),
        (GLM4_MOE_LITE, 173_024, 960),
        (GLM4_MOE_LITE | {"q_lora_rank": None}, 174_464, 960),
        (GLM4_MOE_LITE | {"attention_bias": True}, 173_456, 960),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("glm4_moe", 103_481_200_640),
        ("glm4_moe_lite", 29_943_390_976),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


def test_a_draft_layer_is_there_unless_the_file_says_otherwise() -> None:
    assert read(**GLM4_MOE).draft is not None
    assert read(**GLM4_MOE, num_nextn_predict_layers=0).draft is None
    assert read(**GLM4_MOE_LITE).draft is None
