"""Finding what a folder holds by its file names: blocks, families, engines, formats, commands.

A listing reads names and imports nothing; loading imports the one module that was asked for. A
name that begins with an underscore is part of the folder's own furniture and never listed. It
knows nothing about what the modules contain.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def names(package: str) -> tuple[str, ...]:
    """The public modules and sub-packages of `package`, sorted; none of them is imported."""
    spec = importlib.util.find_spec(package)
    found: set[str] = set()
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in Path(folder).iterdir():
            is_module = path.suffix == ".py" or (path / "__init__.py").is_file()
            if is_module and _NAME.match(path.stem):
                found.add(path.stem)
    return tuple(sorted(found))


def load(package: str, name: str) -> ModuleType | None:
    """Import `package.name`, or give None where the folder holds no such public module."""
    if not _NAME.match(name) or name not in names(package):
        return None
    return importlib.import_module(f"{package}.{name}")


def nearest(word: str, known: tuple[str, ...] | list[str]) -> str | None:
    """The known word that `word` was probably meant to be."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return close[0] if close else None


def suggestion(word: str, known: tuple[str, ...] | list[str]) -> str:
    """A hint for an unknown word: the nearest known one, or all of them."""
    close = nearest(word, known)
    return f"did you mean {close!r}?" if close else "known: " + ", ".join(known)
