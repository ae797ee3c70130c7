"""Reads a description from a YAML file: guarded, validated and built.

It knows nothing about names, hub ids or other formats; the caller has a path.
"""

from __future__ import annotations

from pathlib import Path

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.yaml_file import build, guard
from ferrum_cli.describe.yaml_file.guard import Document


def read_description(path: Path | str) -> Description:
    """The model in a file from outside.

    Raises DescriptionError with file, line and column for whatever is wrong with it.
    """
    return _validated(guard.read(path))


def parse_description(content: bytes, source: str) -> Description:
    """As `read_description`, from the bytes of something that messages call `source`."""
    return _validated(guard.parse(content, source))


def read_shipped(path: Path) -> Description:
    """The model in a file that came with Ferrum, without pydantic: the tests have validated it."""
    return build.description(guard.read(path).data)


def _validated(document: Document) -> Description:
    # Here, because it imports pydantic.
    from ferrum_cli.describe.yaml_file.validation import validate  # noqa: PLC0415

    validate(document)
    return build.description(document.data)
