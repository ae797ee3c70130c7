"""Mistral with vision: the text is any Mistral, tied unless the file says otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total
from tests.describe.huggingface.plain import EXPERTS, LATENT, SMALL

TEXT = SMALL | {"model_type": "ministral3", "head_dim": 16}
VISION = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "patch_size": 4,
}
MISTRAL3 = {"model_type": "mistral3", "text_config": TEXT, "vision_config": VISION}


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "vision"),
    [
        ({}, 139_840, 29_376),
        ({"tie_word_embeddings": False}, 156_224, 29_376),
        ({"multimodal_projector_bias": True, "spatial_merge_size": 3}, 139_840, 34_624),
        ({"text_config": TEXT | {"model_type": "mistral"}}, 139_840, 29_376),
        (
            {
                "text_config": SMALL
                | EXPERTS
                | LATENT
                | {"model_type": "mistral4", "n_routed_experts": 4}
            },
            169_184,
            29_376,
        ),
        ({"vision_config": {}}, 139_840, 407_754_752),
    ],
)
def test_text_and_tower_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, vision: int
) -> None:
    model = read(**MISTRAL3 | fields)
    assert (total(model), model.vision_parameters) == (parameters, vision)
    assert model.architecture == "Mistral3ForConditionalGeneration"
