"""Finds the descriptions that come with Ferrum: one file for each model.

They lie beside the package in a checkout and inside it in an installed wheel. It knows nothing
about what is in them, but for the line that begins with `source:`.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ferrum_cli.discover import nearest
from ferrum_cli.errors import DescriptionError

_SUFFIX = ".yaml"
_PACKAGE = Path(__file__).resolve().parent.parent
# `source` is the third key of a file in the house style, so it stands near the top.
_HEAD_LINES = 20


@cache
def folder() -> Path:
    """Where the shipped descriptions lie."""
    inside = _PACKAGE / "model_specs"
    return inside if inside.is_dir() else _PACKAGE.parent / "model_specs"


@cache
def names() -> tuple[str, ...]:
    """Every shipped model, sorted; no file is opened."""
    try:
        files = os.listdir(folder())  # noqa: PTH208 - names are all that is wanted
    except FileNotFoundError:
        return ()
    return tuple(sorted(f.removesuffix(_SUFFIX) for f in files if f.endswith(_SUFFIX)))


def path(name: str) -> Path:
    """The file of a shipped model. Raises DescriptionError for any other name."""
    if name not in names():
        close = nearest(name, names())
        raise DescriptionError(
            f"{name!r} is no shipped model",
            hint=f"did you mean {close!r}?" if close else "'ferrum models list' shows them",
        )
    return folder() / f"{name}{_SUFFIX}"


def find_by_source(hub_id: str) -> str | None:
    """The shipped model that was read from this hub id; the hub does not mind upper case."""
    return _by_hub_id().get(hub_id.casefold())


@cache
def _by_hub_id() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names():
        found.setdefault(_hub_id(path(name)).casefold(), name)
    return found


def _hub_id(file: Path) -> str:
    """The file's `source` up to its first comma, without reading the rest of the file."""
    with file.open(encoding="utf-8") as lines:
        for _, line in zip(range(_HEAD_LINES), lines, strict=False):
            if line.startswith("source:"):
                value = line.removeprefix("source:").strip().strip("'\"")
                return value.partition(",")[0].strip()
    return ""
