"""A GGUF file, or the files of a model that is split → description.

Headers are read and held against the files' sizes; the data is never read or mapped. Formats stand
in `container` and its neighbours, models in `families`. It knows nothing about engines.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families import family_of
from ferrum_cli.describe.gguf_file.fields import GgufFields
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.gguf_file.splits import Whole, read_whole
from ferrum_cli.describe.regular_file import shown_path


def read(path: Path | str) -> Description:
    """Read a GGUF file; of a split model any part names all of them.

    Raises DescriptionError with file and byte for whatever cannot be read, UnknownArchitecture for
    a model that no family knows, and MissingExtra where the `gguf` library is missing.
    """
    whole = read_whole(Path(path))
    architecture = _architecture(whole)
    family = family_of(architecture, _place(whole))
    fields = GgufFields(whole.metadata, architecture)
    found: Description = family.describe(GgufModel(whole, fields, architecture))
    note = _ambiguity(architecture, family.ARCHITECTURES[architecture], found.architecture)
    return dataclasses.replace(found, notes=(*note, *found.notes))


def _architecture(whole: Whole) -> str:
    fields = GgufFields(whole.metadata, "general")
    architecture: str = fields.text("general.architecture")
    return architecture


def _place(whole: Whole) -> str:
    offset = whole.metadata["general.architecture"].offset
    return f"{shown_path(whole.path)}: byte {offset}"


def _ambiguity(name: str, classes: tuple[str, ...], taken: str | None) -> tuple[str, ...]:
    """A note where the first of several classes was taken, because nothing decides."""
    first, *others = classes
    if taken != first or not others:
        return ()
    return (f"the GGUF architecture {name!r} is {taken} here, but also {' or '.join(others)}",)
