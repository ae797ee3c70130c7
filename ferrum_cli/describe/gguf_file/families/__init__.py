"""GGUF architectures → descriptions. One file here is one family.

A family is a module with `ARCHITECTURES`, which maps each `general.architecture` it reads to the
Hugging Face classes between which nothing in the file decides (the first is taken, and said to be),
and `describe(model)`, which may find another. It knows nothing about the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from ferrum_cli import discover
from ferrum_cli.errors import UnknownArchitecture

_HINT = "give the model's config.json, or describe it in YAML with blocks of kind: custom"


def families() -> tuple[str, ...]:
    """Every family, without importing any."""
    return discover.names(__name__)


def family_of(architecture: str, where: str) -> ModuleType:
    """The family of an architecture. Raises UnknownArchitecture for any other."""
    for module in _likely_first(architecture):
        if architecture in module.ARCHITECTURES:
            return module
    raise UnknownArchitecture(
        f"the GGUF architecture {ascii(architecture)[:60]} is not known to Ferrum",
        hint=_HINT,
        where=where,
    )


def _likely_first(architecture: str) -> Iterator[ModuleType]:
    """Modules whose name begins the architecture, the longest first; then all others."""
    word = architecture.replace("-", "_")
    likely = sorted((f for f in families() if word.startswith(f)), key=len, reverse=True)
    for name in (*likely, *(f for f in families() if f not in likely)):
        module = discover.load(__name__, name)
        if module is not None:
            yield module
