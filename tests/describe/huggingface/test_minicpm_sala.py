"""MiniCPM-SALA: its list of mixers, as SGLang 0.5.23 sizes it."""

from __future__ import annotations

import json

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import (
    CONFIGS,
    bytes_per_slot,
    kv_bytes_per_token,
    mixers,
    published,
    read,
)

NAME = "openbmb__MiniCPM-SALA"
SALA = json.loads((CONFIGS / f"{NAME}.json").read_text(encoding="utf-8"))


def test_the_published_model_has_its_recorded_sizes() -> None:
    model = published(NAME)
    assert bytes_per_slot(model) == 50_331_648
    assert kv_bytes_per_token(model) == 8 * 2 * 2 * 128 * 2
    assert mixers(model).count("l") == 24
    assert model.parameters == "approximate"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mixer_types": ["minicpm4"]}, "mixer_types: 1 entries for 32 layers"),
        ({"mixer_types": ["rwkv"] * 32}, r"mixer_types\[0\]: unknown kind of layer 'rwkv'"),
        ({"lightning_nkv": 8}, "lightning_nkv: 8 is not lightning_nh 32"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**SALA | fields)
