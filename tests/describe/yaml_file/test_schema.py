"""The JSON schema for editors."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ferrum_cli import blocks
from ferrum_cli.describe import shipped
from ferrum_cli.describe.yaml_file.schema import DIALECT, schema
from tests.describe.small import SMALL, small_with

# The words of draft 2020-12 that the schema may use; editors ignore others in silence.
WORDS = {
    *("$ref", "$defs", "$schema", "title", "description", "default", "type", "enum", "const"),
    *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
    *("minProperties", "items", "minItems", "maxItems", "oneOf"),
    *("minimum", "maximum", "minLength", "maxLength", "pattern"),
}
NAMED = ("properties", "patternProperties", "$defs")


def schemas(node: Any) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema."""
    if isinstance(node, list):
        for item in node:
            yield from schemas(item)
    elif isinstance(node, dict):
        yield node
        for key, value in node.items():
            if key in NAMED:
                yield from (found for inner in value.values() for found in schemas(inner))
            elif key not in ("default", "const", "enum"):
                yield from schemas(value)


def test_it_is_draft_2020_12_and_uses_no_words_but_its() -> None:
    assert schema()["$schema"] == DIALECT
    assert {key for node in schemas(schema()) for key in node} <= WORDS


def test_every_reference_leads_to_a_definition() -> None:
    found = {node["$ref"] for node in schemas(schema()) if "$ref" in node}
    assert found == {f"#/$defs/{name}" for name in schema()["$defs"]}


def test_every_key_is_described() -> None:
    for node in schemas(schema()):
        for name, key in node.get("properties", {}).items():
            assert key.get("description"), name


def test_a_docstring_under_a_field_is_its_description() -> None:
    window = schema()["$defs"]["Attention"]["properties"]["window"]
    assert window["description"] == "Sliding window: the last tokens that are kept."
    assert "default" not in window


def test_unknown_keys_are_refused_everywhere() -> None:
    for node in schemas(schema()):
        assert node.get("additionalProperties", False) is False


def test_every_kind_of_block_is_in_it() -> None:
    kinds = [node["properties"]["kind"]["const"] for node in _blocks()]
    assert sorted(kinds) == sorted(blocks.kinds())


def _blocks() -> list[dict[str, Any]]:
    return [d for d in schema()["$defs"].values() if "kind" in d["properties"]]


def test_the_text_is_the_same_in_every_process() -> None:
    program = "import json; from ferrum_cli.describe.yaml_file import schema as s; "
    program += "print(json.dumps(s.schema()))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert texts == {json.dumps(schema()) + "\n"}


def test_a_validator_finds_the_schema_valid_and_the_shipped_files_too() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
    check = jsonschema.Draft202012Validator(schema())
    for name in shipped.names():
        check.validate(yaml.safe_load(shipped.path(name).read_text(encoding="utf-8")))
    check.validate(yaml.safe_load(SMALL))
    for bad in (small_with("  mlp:", "  m p:"), small_with("64", "0"), small_with("name", "nane")):
        assert not check.is_valid(yaml.safe_load(bad))
