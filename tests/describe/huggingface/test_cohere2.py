"""Command R and Command A: one norm for two blocks, windows in three layers of four."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total, windows
from tests.describe.huggingface.plain import SMALL, built

COHERE2 = SMALL | {"model_type": "cohere2", "sliding_window": 4}
COHERE = SMALL | {"model_type": "cohere"}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (COHERE2, 139_584, 1_920),
        (COHERE2 | {"attention_bias": True}, 140_352, 1_920),
        (COHERE, 139_584, 3_072),
        (COHERE | {"use_qk_norm": True}, 139_968, 3_072),
        (COHERE | {"head_dim": 8}, 115_008, 1_536),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("cohere2", 34_980_831_232),
        ("cohere", 34_980_831_232),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


@pytest.mark.parametrize(("period", "slides"), [(4, 3), (2, 2), (1, 0)])
def test_the_last_layer_of_a_period_attends_to_everything(period: int, slides: int) -> None:
    assert windows(read(**COHERE2, sliding_window_pattern=period)) == [4] * slides


def test_both_blocks_stand_behind_one_norm() -> None:
    layer = next(read(**COHERE2).layers)
    assert layer.entries == (("sliding", "mlp"),)
