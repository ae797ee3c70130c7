"""Ring-linear: lightning attention by groups, counted as mlx-lm 0.32.2 builds it."""

from __future__ import annotations

import json

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import (
    CONFIGS,
    kv_per_token,
    mixers,
    published,
    read,
    state,
    total,
)

RING = json.loads((CONFIGS / "inclusionAI__Ring-mini-linear-2.0.json").read_text(encoding="utf-8"))


def test_the_published_model_has_its_recorded_sizes() -> None:
    model = published("inclusionAI__Ring-mini-linear-2.0")
    biases_of_routers = 19 * 256
    assert total(model) == 16_423_448_320 - biases_of_routers
    assert state(model)[0] == (16 * 128 * 128,)
    assert kv_per_token(model) == 4 * 2 * 4 * 128
    assert model.hints.group_norm_size == 4


@pytest.mark.parametrize(("length", "pattern"), [(10, "lllla" * 2), (12, "lllla" * 2 + "aa")])
def test_layers_of_a_group_that_is_not_full_attend(length: int, pattern: str) -> None:
    assert mixers(read(**RING | {"num_hidden_layers": length})) == pattern


def test_every_size_must_be_there() -> None:
    fields = {name: value for name, value in RING.items() if name != "layer_group_size"}
    with pytest.raises(DescriptionError, match="layer_group_size: is missing"):
        read(**fields)
