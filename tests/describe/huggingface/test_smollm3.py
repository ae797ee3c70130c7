"""SmolLM 3: layers without rotary embeddings may slide."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import read, total, windows
from tests.describe.huggingface.plain import SMALL, built

SMOLLM3 = SMALL | {"model_type": "smollm3", "sliding_window": 4, "use_sliding_window": True}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (SMOLLM3, 139_840, 2_688),
        (SMOLLM3 | {"attention_bias": True, "mlp_bias": True}, 141_632, 2_688),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("smollm3", 3_075_098_624),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


@pytest.mark.parametrize(
    ("fields", "slides"),
    [
        ({}, 1),
        ({"use_sliding_window": False}, 0),
        ({"sliding_window": None}, 0),
        ({"no_rope_layer_interval": 2}, 2),
        ({"no_rope_layers": [0, 0, 0, 1]}, 3),
        ({"no_rope_layers": [0, 0, 0, 1, 1, 1]}, 3),
    ],
)
def test_a_layer_without_rotary_embeddings_slides(fields: dict[str, Any], slides: int) -> None:
    assert windows(read(**SMOLLM3 | fields)) == [4] * slides


def test_a_list_that_is_too_short_is_refused() -> None:
    with pytest.raises(DescriptionError, match="no_rope_layers: 3 entries for 4 layers"):
        read(**SMOLLM3, no_rope_layers=[1, 1, 0])
