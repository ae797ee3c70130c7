"""Jet-Nemotron: nested sizes of its blocks, windows, and values wider than keys."""

from __future__ import annotations

import json

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import CONFIGS, mixers, published, read, state, windows

NAME = "jet-ai__Jet-Nemotron-2B"
JET = json.loads((CONFIGS / f"{NAME}.json").read_text(encoding="utf-8"))


def test_the_published_model_has_the_layers_of_its_list() -> None:
    model = published(NAME)
    assert mixers(model).count("j") == JET["layer_types"].count("jet")
    assert windows(model) == [1152] * JET["layer_types"].count("swa")
    assert model.parameters == "approximate"


def test_a_value_is_wider_than_a_key_by_a_factor_rounded_down() -> None:
    values = int(96 * 2.6666666667)
    assert state(published(NAME))[0] == (12 * values * 3, 12 * values * 96)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("jet.expand_v", 0.001, "efficient_attention_config.jet.expand_v: leaves a width of 0"),
        ("jet.num_heads", None, "efficient_attention_config.jet.num_heads: is null"),
        ("swa", 7, "efficient_attention_config.swa: expected an object, found 7"),
        ("jet", None, "efficient_attention_config.jet: is null"),
    ],
)
def test_what_is_wrong_inside_is_named_by_its_path(path: str, value: object, message: str) -> None:
    changed = json.loads(json.dumps(JET))
    inside, *names = changed["efficient_attention_config"], *path.split(".")
    for name in names[:-1]:
        inside = inside[name]
    inside[names[-1]] = value
    with pytest.raises(DescriptionError, match=message):
        read(**changed)


def test_a_file_must_list_its_layers() -> None:
    with pytest.raises(DescriptionError, match="layer_types"):
        read(**{name: value for name, value in JET.items() if name != "layer_types"})
