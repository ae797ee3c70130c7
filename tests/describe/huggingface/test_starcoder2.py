"""StarCoder 2: biases everywhere, norms that keep theirs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.describe.huggingface.measure import read, total, windows
from tests.describe.huggingface.plain import SMALL, built

STARCODER2 = SMALL | {"model_type": "starcoder2"}


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters", "cached"),
    [
        (STARCODER2, 117_248, 3_072),
        (STARCODER2 | {"use_bias": False}, 115_840, 3_072),
        (STARCODER2 | {"tie_word_embeddings": False}, 133_632, 3_072),
    ],
)
def test_parameters_and_cache_are_what_transformers_builds(
    fields: dict[str, Any], parameters: int, cached: int
) -> None:
    assert built(**fields) == (parameters, cached)


@pytest.mark.parametrize(
    ("model_type", "parameters"),
    [
        ("starcoder2", 3_030_371_328),
    ],
)
def test_the_class_defaults_are_those_of_transformers(model_type: str, parameters: int) -> None:
    assert total(read(model_type=model_type)) == parameters


def test_a_window_is_for_all_layers() -> None:
    assert windows(read(**STARCODER2, sliding_window=8)) == [8] * 4
