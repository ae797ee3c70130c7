"""The JSON schema of a description file, for editors (`ferrum models schema`).

It is made from the same models that validate, in draft 2020-12. It knows nothing about files.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.describe.yaml_file.format import Model

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema as plain data; the same at every call."""
    made = _tidied(Model.model_json_schema())
    definitions = made.pop("$defs")
    made["title"] = "Ferrum model description"
    return {"$schema": DIALECT, **made, "$defs": dict(sorted(definitions.items()))}


def _tidied(node: Any, *, names: bool = False) -> Any:
    """Without pydantic's titles, OpenAPI's discriminators, and defaults that stand for absence.

    `names` says that the keys of this mapping are names, not words of JSON schema.
    """
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _tidied(value, names=not names and key in ("properties", "$defs"))
        for key, value in node.items()
        if names or not _is_noise(key, value)
    }


def _is_noise(key: str, value: Any) -> bool:
    return key in ("title", "discriminator") or (key == "default" and value is None)
