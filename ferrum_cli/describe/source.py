"""What a MODEL argument means: a shipped name, a file, a folder, or a hub id.

It finds the reader; it knows nothing about what the readers read.
"""

from __future__ import annotations

import os
from pathlib import Path

from ferrum_cli.describe import shipped
from ferrum_cli.describe.description import Description
from ferrum_cli.discover import nearest
from ferrum_cli.errors import DescriptionError

_YAML = (".yaml", ".yml")
_FILES = (*_YAML, ".json", ".gguf")


def read_model(text: str) -> Description:
    """The description that `text` names. Raises DescriptionError, or MissingExtra for the hub."""
    if not text or "\0" in text:
        raise DescriptionError("an empty name is no model", where="MODEL")
    if text in shipped.names():
        return _read_shipped(text)
    if is_hub_id(text):
        name = shipped.find_by_source(text.partition(":")[0])
        return _read_shipped(name) if name else _read_hub(text)
    if text.lower().endswith(_FILES) or os.sep in text or Path(text).expanduser().exists():
        return read_path(Path(text).expanduser())
    raise _unknown(text)


def read_path(path: Path) -> Description:
    """The description in a file, or in the `config.json` of a folder."""
    suffix = path.suffix.lower()
    if suffix in _YAML:
        from ferrum_cli.describe.yaml_file.reader import read_description  # noqa: PLC0415 - pydantic

        return read_description(path)
    if suffix == ".gguf":
        from ferrum_cli.describe import gguf_file  # noqa: PLC0415 - only where needed

        return gguf_file.read(path)
    from ferrum_cli.describe import config_json  # noqa: PLC0415 - only where needed

    return config_json.read(path)


def is_hub_id(text: str) -> bool:
    """Whether `text` is `owner/name` rather than a path."""
    owner, slash, name = text.partition("/")
    if not (owner and slash and name) or "/" in name or text[0] in ".~":
        return False
    return not text.lower().endswith(_FILES) and not Path(text).exists()


def _read_shipped(name: str) -> Description:
    from ferrum_cli.describe.yaml_file.reader import read_shipped  # noqa: PLC0415 - only where needed

    return read_shipped(shipped.path(name))


def _read_hub(hub_id: str) -> Description:
    from ferrum_cli.describe.hub import read_hub  # noqa: PLC0415 - an optional extra

    return read_hub(hub_id)


def _unknown(text: str) -> DescriptionError:
    close = nearest(text.lower(), shipped.names())
    hint = f"did you mean {close!r}? " if close else ""
    return DescriptionError(
        f"{text!r} is no shipped model, file, folder or hub id",
        hint=f"{hint}'ferrum models list' shows the shipped ones",
        where="MODEL",
    )
