"""What every family must keep to; a new file in the folder is picked up by itself.

A family whose class has no defaults, or none that can be built, needs an example here.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ferrum_cli.describe import config_json, huggingface
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.yaml_file.reader import parse_description
from ferrum_cli.describe.yaml_file.writer import to_yaml
from ferrum_cli.errors import DescriptionError
from ferrum_cli.expand import expand, parameters
from tests.describe.huggingface.measure import CONFIGS, read, total
from tests.describe.huggingface.recording import asked, put
from tests.describe.huggingface.test_alice_ai import ALICE

PUBLISHED = sorted(path.stem for path in CONFIGS.glob("*.json"))


def configuration(name: str) -> dict[str, Any]:
    """A published configuration as plain data."""
    found: dict[str, Any] = json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))
    return found


JET = "jet-ai__Jet-Nemotron-2B"
PUZZLE = {
    "hybrid_override_pattern": "ME*-",
    "block_configs": [{"block_type": kind} for kind in ("mamba", "moe", "attention", "mlp")],
}
EXAMPLES: dict[str, dict[str, Any]] = {
    "alice_ai": ALICE,
    "bailing_moe_linear": configuration("inclusionAI__Ring-mini-linear-2.0"),
    "jet_nemotron": configuration(JET),
    "jet_vlm": {"text_config": configuration(JET)},
    "lfm2_moe": configuration("LiquidAI__LFM2-8B-A1B"),
    "minicpm_sala": configuration("openbmb__MiniCPM-SALA"),
    "nemotron_h_puzzle": PUZZLE,
}
"""Fields for model types whose class defaults make no model; `text_config` alone is tried first."""


def family(name: str) -> ModuleType:
    return importlib.import_module(f"ferrum_cli.describe.huggingface.{name}")


FAMILIES = huggingface.families()
TYPES = [
    (name, model_type, classes)
    for name in FAMILIES
    for model_type, classes in family(name).ARCHITECTURES.items()
]
every_type = pytest.mark.parametrize("model_type", [model_type for _, model_type, _ in TYPES])


@cache
def example(model_type: str) -> dict[str, Any]:
    """The smallest configuration of a model type: its class defaults, or its example."""
    for fields in ({}, {"text_config": {}}, EXAMPLES.get(model_type)):
        assert fields is not None, f"{model_type} needs an example"
        config = {"vision_config": {}} | fields if "text_config" in fields else fields
        try:
            read(**config | {"model_type": model_type})
        except DescriptionError:
            continue
        return config | {"model_type": model_type}
    raise AssertionError(f"the example of {model_type} is refused")


def again(model: Description) -> Description:
    """A description that has been written and read once more."""
    return parse_description(to_yaml(model).encode(), "again.yaml")


def told(config: dict[str, Any]) -> str | None:
    """What the reader says of a configuration that it refuses."""
    try:
        read(**config)
    except DescriptionError as error:
        return str(error)
    return None


def test_a_model_type_and_a_class_have_one_family() -> None:
    types = [model_type for _, model_type, _ in TYPES]
    assert len(types) == len(set(types))
    owners: dict[str, set[str]] = {}
    for name, _, classes in TYPES:
        for architecture in classes:
            assert architecture.isidentifier()
            owners.setdefault(architecture, set()).add(name)
    assert {a: names for a, names in owners.items() if len(names) > 1} == {}


@pytest.mark.parametrize("name", FAMILIES)
def test_types_and_classes_stand_as_they_are_in_the_source(name: str) -> None:
    # A family is found by looking for the word in its source.
    source = Path(str(family(name).__file__)).read_text(encoding="utf-8")
    for model_type, classes in family(name).ARCHITECTURES.items():
        for word in (model_type, *classes):
            assert f'"{word}"' in source


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_cites_where_its_names_and_defaults_come_from(name: str) -> None:
    docstring = str(family(name).__doc__)
    cited = r"(transformers|mlx-lm|SGLang|vLLM|flash-linear-attention) \d+\.\d+\.\d+,\s+[\w/]+"
    assert re.search(cited, docstring), docstring


@pytest.mark.parametrize("name", FAMILIES)
def test_without_defaults_a_family_names_the_field_that_is_missing(name: str) -> None:
    for model_type in family(name).ARCHITECTURES:
        problem = told({"model_type": model_type})
        assert problem is None or re.search(r": [\w.]+: \S", problem), problem


@every_type
def test_the_smallest_configuration_makes_a_model_that_survives_yaml(model_type: str) -> None:
    model = read(**example(model_type))
    assert parameters(model).total > 0
    assert expand(model).layers
    assert again(model) == dataclasses.replace(model, notes=())


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_configuration_survives_yaml(name: str) -> None:
    model = config_json.read(CONFIGS / f"{name}.json")
    assert again(model) == dataclasses.replace(model, notes=())


WRONG: dict[str, tuple[Any, ...]] = {
    "size": ("64", 64.5, True, -1, [64]),
    "count": ("64", 64.5, False, -1, {}),
    "layers": ("4", 4.5, True, -1, 100_000, [4]),
    "number": ("1", True, [1]),
    "flag": ("true", 1, [True]),
    "text": (7, True, ["x"]),
    "texts": ("x", 7, {}, [7], [None]),
    "counts": ("x", 7, {}, ["x"], [1.5], [True]),
    "object": ("x", 7, []),
    "objects": ("x", 7, {}, [7]),
}
"""What no field of a kind may be."""


@every_type
def test_a_wrong_type_of_any_field_is_refused_by_its_path(model_type: str) -> None:
    config = example(model_type)
    fields = asked(config)
    assert fields
    accepted = []
    for path, field in fields.items():
        for value in WRONG[field.kind]:
            problem = told(put(config, path, value)) or "accepted"
            if f": {path}" not in problem:
                accepted.append((path, value, problem))
    assert accepted == []


NO_SIZES = re.compile(r"num_attention_heads$|_(step|period|freq|reduction|index_start)$")
"""Fields of which more makes something smaller: heads that share a width, and distances."""


@every_type
def test_a_larger_size_never_weighs_less(model_type: str) -> None:
    config = example(model_type)
    plain = read(**config)
    weight, seen, less = total(plain) + plain.vision_parameters, 0, []
    for path, field in asked(config).items():
        if field.kind not in ("size", "layers") or not field.value or NO_SIZES.search(path):
            continue
        larger = put(config, path, 2 * field.value)
        if told(larger) is not None:
            continue
        model = read(**larger)
        seen += 1
        if total(model) + model.vision_parameters < weight:
            less.append(path)
    assert less == []
    assert seen


@every_type
def test_more_words_weigh_more(model_type: str) -> None:
    config = example(model_type)
    paths = [path for path in asked(config) if re.search(r"(?<!padded_)vocab_size$", path)]
    assert paths
    for path in paths:
        weights = [total(read(**put(config, path, words))) for words in (300_000, 400_000)]
        assert weights[0] < weights[1], path
