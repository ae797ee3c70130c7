"""`config.json` → description. One file here is one family of models.

A family is a module with `ARCHITECTURES`, which maps each model type it reads to the classes that
may stand in `architectures` (the first is the default), and `describe(config, identity)`. It knows
nothing about engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import Any

from ferrum_cli import discover
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.errors import Location, UnknownArchitecture

_HINT = "describe it in YAML with blocks of kind: custom, or see 'ferrum models list'"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which model a configuration is of, settled before its family reads it."""

    name: str
    source: str | None
    model_type: str
    architecture: str


def families() -> tuple[str, ...]:
    """Every family, without importing any."""
    return discover.names(__name__)


def describe(values: dict[str, Any], name: str, source: str | None = None) -> Description:
    """Read a configuration. Raises UnknownArchitecture where no family knows the model.

    An error's place is the path of the field that is wrong.
    """
    config = Fields(values)
    family, model_type = _family(config)
    identity = Identity(name, source, model_type, _architecture(config, family, model_type))
    description: Description = family.describe(config, identity)
    return description


def family_of_type(model_type: str, field: str) -> ModuleType:
    """The family of a model type that stands in `field`."""
    for module in _naming(model_type):
        if model_type in module.ARCHITECTURES:
            return module
    raise UnknownArchitecture(
        f"{ascii(model_type)[:80]} is not known to Ferrum", hint=_HINT, where=Location(field)
    )


def _family(config: Fields) -> tuple[ModuleType, str]:
    """The family by `model_type`; without one, by the class in `architectures`."""
    model_type = config.text("model_type", None, null=True)
    if model_type is not None:
        return family_of_type(model_type, "model_type"), model_type
    classes = config.texts("architectures", ())
    if not classes:
        config.fail("model_type", "is missing", "say which model this is a configuration of")
    for module in _naming(classes[0]):
        for known_type, known_classes in module.ARCHITECTURES.items():
            if classes[0] in known_classes:
                return module, known_type
    raise UnknownArchitecture(
        f"{ascii(classes[0])[:80]} is not known to Ferrum",
        hint=_HINT,
        where=Location("architectures[0]"),
    )


def _naming(word: str) -> Iterator[ModuleType]:
    """The families whose source has `word` in quotes, those first that are called like it.

    Only they are imported, because importing all takes longer than anything else that is done with
    a configuration. A family whose name stands in the word is believed to have it.
    """

    def likelihood(family: str) -> tuple[bool, int]:
        pairs = zip(family, word, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return family in word, same

    quoted, folder = f'"{word}"'.encode(errors="replace"), Path(__file__).parent
    for family in sorted(families(), key=likelihood, reverse=True):
        if family in word or (word and quoted in (folder / f"{family}.py").read_bytes()):
            yield import_module(f"{__name__}.{family}")


def _architecture(config: Fields, family: ModuleType, model_type: str) -> str:
    """The class that the checkpoint names, or the family's default where it names none."""
    known: tuple[str, ...] = family.ARCHITECTURES[model_type]
    classes: tuple[str, ...] = config.texts("architectures", ())
    if not classes:
        return known[0]
    if classes[0] not in known:
        raise UnknownArchitecture(
            f"{ascii(classes[0])[:80]} is not known to Ferrum for model type {model_type!r}",
            hint="known: " + ", ".join(known),
            where=Location("architectures[0]"),
        )
    return classes[0]
