"""A `config.json`, or the folder that holds one → description.

It opens one regular file and hands its content to the family that knows the model. It knows
nothing about families, nor about the other files of a checkpoint.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ferrum_cli.describe import huggingface
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import _json
from ferrum_cli.describe.regular_file import read_bytes, shown_path
from ferrum_cli.errors import DescriptionError

MAX_BYTES = 4 * 1024 * 1024
FILE_NAME = "config.json"

_HUB_ID = re.compile(r"[^/.~][^/]*/[^/]+")
_HUB_CACHE = "models--"
_NOT_OF_A_NAME = re.compile(r"[^a-z0-9.]+")
_LONGEST_NAME = 100


def read(path: Path | str) -> Description:
    """Read a configuration, or the `config.json` of a folder.

    Raises DescriptionError with file, line and column for whatever cannot be read, and
    UnknownArchitecture for a model that no family knows.
    """
    path = Path(path)
    file = path / FILE_NAME if path.is_dir() else path
    return parse(read_bytes(file, MAX_BYTES), shown_path(file), _name_of_path(file))


def parse(content: bytes, source: str, name: str | None = None) -> Description:
    """Read the bytes of a configuration that messages call `source`.

    `name` serves where the configuration itself does not say which model it is of.
    """
    values = _json.parse(content, source)
    try:
        return huggingface.describe(values, _name(values, name), source)
    except DescriptionError as error:
        field = error.where.source if error.where else ""
        message = f"{field}: {error.message}" if field else error.message
        where = _json.place(content, field, source)
        raise type(error)(message, hint=error.hint, where=where) from None


def _name(values: dict[str, Any], fallback: str | None) -> str:
    """The model's name: of its hub id, of its folder, or of its type."""
    hub_id = values.get("_name_or_path")
    if not isinstance(hub_id, str) or not _HUB_ID.fullmatch(hub_id):
        hub_id = None
    for candidate in (hub_id, fallback, values.get("model_type")):
        if isinstance(candidate, str):
            name = _NOT_OF_A_NAME.sub("-", candidate.rpartition("/")[2].lower()).strip("-.")
            if name:
                return name[:_LONGEST_NAME]
    return "model"


def _name_of_path(file: Path) -> str:
    """`owner/name/config.json` is called `name`, and `name.json` too."""
    if file.name != FILE_NAME:
        return file.stem
    folder = file.absolute().parent
    for part in reversed(folder.parts):
        if part.startswith(_HUB_CACHE):  # huggingface_hub: models--owner--name/snapshots/commit
            return part.rpartition("--")[2]
    return folder.name
