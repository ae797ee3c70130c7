"""Reading a `config.json`: names, places, and nothing but descriptions or errors of our own."""

from __future__ import annotations

import copy
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrum_cli.describe import config_json
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import _json
from ferrum_cli.errors import FerrumError
from ferrum_cli.expand import expand, parameters

CONFIGS = sorted((Path(__file__).parents[1] / "data" / "configs").glob("*.json"))
LLAMA = b'{"model_type": "llama"}'


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_published_configuration_is_read(path: Path) -> None:
    assert isinstance(config_json.read(path), Description)


@pytest.mark.parametrize(
    ("fields", "fallback", "name"),
    [
        ({"_name_or_path": "Qwen/Qwen3-8B"}, "folder", "qwen3-8b"),
        ({"_name_or_path": ""}, "Falcon H1 7B", "falcon-h1-7b"),
        ({"_name_or_path": "/data/checkpoints/step-100"}, "my-model", "my-model"),
        ({"_name_or_path": 7}, None, "llama"),
        ({}, "granite-4.0-h-tiny", "granite-4.0-h-tiny"),
        ({}, "..", "llama"),
        ({}, None, "llama"),
        ({"_name_or_path": "a/\u001b[31mred\udc80"}, None, "31mred"),
    ],
)
def test_a_model_is_called_by_its_hub_id_its_folder_or_its_type(
    fields: dict[str, Any], fallback: str | None, name: str
) -> None:
    content = json.dumps({"model_type": "llama"} | fields).encode()
    assert config_json.parse(content, "config.json", fallback).name == name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("Qwen3-8B/config.json", "qwen3-8b"),
        ("models--Qwen--Qwen3-8B/snapshots/0a1b2c/config.json", "qwen3-8b"),
        ("Qwen__Qwen3-8B.json", "qwen-qwen3-8b"),
    ],
)
def test_a_file_gives_its_model_a_name(tmp_path: Path, path: str, name: str) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(LLAMA)
    assert config_json.read(file).name == name


def test_a_folder_is_read_by_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(LLAMA)
    assert config_json.read(tmp_path) == config_json.read(tmp_path / "config.json")


def test_without_a_model_type_the_class_says_what_it_is() -> None:
    content = b'{"architectures": ["FalconMambaForCausalLM"]}'
    model = config_json.parse(content, "config.json")
    assert model.architecture == "FalconMambaForCausalLM"
    assert list(model.blocks) == ["mamba"]


@pytest.mark.parametrize(
    ("field", "line", "column"),
    [
        ("b", 2, 8),
        ("b[1]", 2, 12),
        ("b[2].c", 2, 21),
        ("b[2].d", 2, 15),
        ('e.f, "g', 3, 27),
        ("e.missing.deeper", 3, 8),
        ("nothing", 1, 1),
        ("", 1, 1),
    ],
)
def test_a_field_is_found_where_it_stands(field: str, line: int, column: int) -> None:
    content = b'{"a": "b[1]",\n  "b": [1, 2, {"c": 3}],\n  "e": {"x": 1, "f, \\"g": {}}\n}'
    where = _json.place(content, field, "x.json")
    assert (where.line, where.column) == (line, column)


def test_reading_and_expanding_takes_less_than_five_milliseconds() -> None:
    contents = [path.read_bytes() for path in CONFIGS]
    for content in contents:  # imports and the first compilation do not count
        expand(config_json.parse(content, "config.json"))
    slowest = 0.0
    for content in contents:
        taken = []
        for _ in range(5):
            start = time.perf_counter()
            expand(config_json.parse(content, "config.json"))
            taken.append(time.perf_counter() - start)
        slowest = max(slowest, min(taken))
    assert slowest < 0.005


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([0, 1, -1, 2**31, 2**31 + 1, 2**63, 2**64, 10**30, 3]),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from(["auto", "full_attention", "linear_attention", "llama", "bfloat16", "M*"]),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def paths(data: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside `data`."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    found = []
    for key, value in pairs:
        found.append((*before, key))
        if isinstance(value, (dict, list)):
            found += paths(value, (*before, key))
    return found


def mutated(config: dict[str, Any], way: tuple[Any, ...], value: Any, act: str) -> dict[str, Any]:
    """A copy of `config` with one value replaced, removed or doubled."""
    changed = copy.deepcopy(config)
    inside: Any = changed
    for step in way[:-1]:
        inside = inside[step]
    if act == "remove":
        del inside[way[-1]]
    elif act == "double" and isinstance(inside, list):
        inside.append(inside[way[-1]])
    else:
        inside[way[-1]] = value
    return changed


def read_or_refuse(content: bytes) -> Description | FerrumError:
    """What comes of a configuration; any other error goes through."""
    try:
        return config_json.parse(content, "config.json")
    except FerrumError as error:
        return error


GOOD = [json.loads(path.read_text(encoding="utf-8")) for path in CONFIGS]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_any_mutation_gives_a_description_or_an_error_of_our_own(data: st.DataObject) -> None:
    config = data.draw(st.sampled_from(GOOD))
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from(paths(config)))
        act = data.draw(st.sampled_from(["replace", "replace", "remove", "double"]))
        config = mutated(config, way, data.draw(values), act)
        if not config:
            return
    outcome = read_or_refuse(json.dumps(config).encode())
    if isinstance(outcome, Description):
        expand(outcome)
        assert parameters(outcome).total >= 0
    else:
        assert outcome.exit_code == 2
        assert re.match(r"config\.json:\d+:\d+: ", str(outcome))
        assert str(outcome).isprintable()
        assert len(str(outcome)) < 500


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8")))
def test_any_bytes_give_a_description_or_an_error_of_our_own(content: bytes) -> None:
    with pytest.raises(FerrumError) as caught:
        config_json.parse(content, "config.json")
    assert str(caught.value).isprintable()
