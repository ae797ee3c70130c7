"""DeepSeek-V3.2 and GLM-5: an indexer beside every latent attention, or beside some."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import EXPERTS, INDEX, LATENT, SMALL, built

DEEPSEEK_V32 = (
    SMALL
    | EXPERTS
    | LATENT
    | INDEX
    | {"model_type": "deepseek_v32", "n_routed_experts": 4, "first_k_dense_replace": 1}
)
GLM_MOE_DSA = (
    SMALL
    | EXPERTS
    | LATENT
    | INDEX
    | {"model_type": "glm_moe_dsa", "n_routed_experts": 4, "first_k_dense_replace": 1}
)


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (DEEPSEEK_V32, 177_184, 1_344),
        (DEEPSEEK_V32 | {"attention_bias": True}, 177_616, 1_344),
        (DEEPSEEK_V32 | {"num_experts": 2}, 139_936, 1_344),
        (GLM_MOE_DSA, 177_184, 1_344),
        (GLM_MOE_DSA | {"index_topk_freq": 2}, 176_144, 1_248),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("deepseek_v32", 671_877_929_216),
        ("glm_moe_dsa", 743_911_199_232),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


def test_layers_without_an_indexer_take_the_choice_of_an_earlier_one() -> None:
    types = ["full", "shared", "shared", "full"]
    by_list = built(**GLM_MOE_DSA, indexer_types=types)
    assert by_list == built(**GLM_MOE_DSA, index_topk_pattern="FSSF")
    assert by_list == (176_144 - 1_040, 1_344 - 2 * 96)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"index_topk_pattern": "FSS"},
            "index_topk_pattern: expected a letter F or S for 4 layers",
        ),
        ({"layer_types": ["full_attention"] * 4}, r"layer_types\[0\]: unknown kind of layer"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**GLM_MOE_DSA | fields)
