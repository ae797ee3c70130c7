"""Typed reading of a `config.json`: every field is asked for by name, type and default.

A family reads its fields through this and never sees a wrong type. An error's place is the field's
path, which whoever read the file turns into a line and column. It knows nothing about families.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ferrum_cli.blocks import LARGEST_SIZE
from ferrum_cli.discover import suggestion
from ferrum_cli.errors import DescriptionError, Location

MOST_LAYERS = 4096
"""Layers that a configuration may ask for; every layer becomes an object here."""

_MOST_SHOWN = 60
_REQUIRED: Any = object()


class Fields:
    """One mapping of a configuration, with its path for error messages.

    `null` counts as absent only where the caller says so (`null=True`), because only some
    configuration classes give null a meaning. Fields that are not here are looked for in `under`.
    """

    def __init__(
        self, values: Mapping[str, Any], path: str = "", under: Fields | None = None
    ) -> None:
        self._own = values
        self._path = path
        self._under = under
        self._values: Mapping[str, Any] = values
        if under is not None:
            self._values = {**under.values, **values}

    def __contains__(self, name: str) -> bool:
        return name in self._values

    @property
    def values(self) -> Mapping[str, Any]:
        """The mapping as it stands."""
        return self._values

    def raw(self, name: str) -> Any:
        """The value as it stands, or None."""
        return self._values.get(name)

    def path(self, name: str) -> str:
        """`name` with the path of the mapping that holds it before it."""
        field = name.partition("[")[0]
        if self._under is not None and field not in self._own and field in self._under:
            return self._under.path(name)
        return f"{self._path}.{name}" if self._path else name

    def fail(self, name: str, problem: str, hint: str | None = None) -> NoReturn:
        """Refuse the field `name`."""
        raise DescriptionError(problem, hint=hint, where=Location(self.path(name)))

    def first(self, *names: str) -> str:
        """The first of several names for one field that stands here, or else the first."""
        return next((name for name in names if name in self._values), names[0])

    def size(self, name: str, default: int | None = _REQUIRED, *, null: bool = False) -> Any:
        """A positive whole number; with a default of None it may be absent."""
        return self._integer(name, default, 1, LARGEST_SIZE, null=null)

    def count(self, name: str, default: int | None = _REQUIRED, *, null: bool = False) -> Any:
        """A whole number that may be zero."""
        return self._integer(name, default, 0, LARGEST_SIZE, null=null)

    def layers(self, name: str, default: int | None = _REQUIRED, *, null: bool = False) -> Any:
        """A number of layers: positive and small enough to list them."""
        return self._integer(name, default, 1, MOST_LAYERS, null=null)

    def draft_layers(self, name: str, default: int | None) -> Any:
        """A number of layers that may be zero; null counts as absent."""
        return self._integer(name, default, 0, MOST_LAYERS, null=True)

    def nullable_size(self, name: str, default: int | None) -> int | None:
        """A positive whole number; null means none of it, which is not the default."""
        if name in self._values and self._values[name] is None:
            return None
        found: int | None = self.size(name, default)
        return found

    def number(self, name: str, default: float | None = _REQUIRED, *, null: bool = False) -> Any:
        """A finite number of ordinary magnitude."""
        value = self._value(name, default, null)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail(name, f"expected a number, found {_shown(value)}")
        if not math.isfinite(value) or abs(value) > LARGEST_SIZE:
            self.fail(name, f"expected an ordinary number, found {_shown(value)}")
        return value

    def flag(self, name: str, default: bool = _REQUIRED, *, null: bool = False) -> bool:
        """A plain true or false."""
        value = self._value(name, default, null)
        if not isinstance(value, bool):
            self.fail(name, f"expected true or false, found {_shown(value)}")
        return value

    def text(self, name: str, default: str | None = _REQUIRED, *, null: bool = False) -> Any:
        """A string."""
        value = self._value(name, default, null)
        if value is not None and not isinstance(value, str):
            self.fail(name, f"expected text, found {_shown(value)}")
        return value

    def choice(self, name: str, known: Sequence[str], default: str = _REQUIRED) -> str:
        """One of a few words."""
        value = self.text(name, default)
        if value not in known:
            self.fail(name, f"unknown value {_shown(value)}", suggestion(str(value), list(known)))
        return str(value)

    def child(self, name: str) -> Fields:
        """A nested mapping that must be there."""
        value = self._value(name, _REQUIRED, null=False)
        if not isinstance(value, Mapping):
            self.fail(name, f"expected an object, found {_shown(value)}")
        return Fields(value, self.path(name))

    def optional_child(self, name: str) -> Fields | None:
        """A nested mapping, or None where it is absent or null."""
        return None if self._values.get(name) is None else self.child(name)

    def child_or_empty(self, name: str) -> Fields:
        """A nested mapping, or one without fields where it is absent or null."""
        return Fields({}, self.path(name)) if self._values.get(name) is None else self.child(name)

    def children(self, name: str) -> list[Fields]:
        """A list of nested mappings that must be there."""
        items = self._list(name, _REQUIRED, Mapping, "an object")
        return [Fields(item, self.path(f"{name}[{i}]")) for i, item in enumerate(items)]

    def or_else(self, defaults: Mapping[str, Any]) -> Fields:
        """These fields, and those of `defaults` that are not here."""
        return Fields({**defaults, **self._values}, self._path)

    def before(self, others: Fields) -> Fields:
        """These fields, and those of `others` that are not here."""
        return Fields(self._values, self._path, others)

    def texts(self, name: str, default: Sequence[str] | None = _REQUIRED) -> Any:
        """A list of strings; null counts as absent where there is a default."""
        return self._list(name, default, str, "text")

    def counts(self, name: str, default: Sequence[int] | None = _REQUIRED) -> Any:
        """A list of whole numbers; null counts as absent where there is a default."""
        return self._list(name, default, int, "a whole number")

    def _list(self, name: str, default: Any, kind: type, word: str) -> Any:
        value = self._value(name, default, null=default is not _REQUIRED)
        if value is None:
            return None
        if isinstance(value, str) or not isinstance(value, Sequence):
            self.fail(name, f"expected a list, found {_shown(value)}")
        for position, item in enumerate(value):
            if not isinstance(item, kind) or isinstance(item, bool):
                self.fail(f"{name}[{position}]", f"expected {word}, found {_shown(item)}")
        return tuple(value)

    def _integer(self, name: str, default: Any, lowest: int, highest: int, *, null: bool) -> Any:
        value = self._value(name, default, null)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(name, f"expected a whole number, found {_shown(value)}")
        if not lowest <= value <= highest:
            self.fail(name, f"expected {lowest} to {highest}, found {_shown(value)}")
        return value

    def _value(self, name: str, default: Any, null: bool) -> Any:
        if name not in self._values or (null and self._values[name] is None):
            if default is _REQUIRED:
                self.fail(name, "is missing")
            return default
        value = self._values[name]
        if value is None:
            self.fail(name, "is null, which has no meaning here", "remove it or give a value")
        return value


def _shown(value: Any) -> str:
    """A value as an error shows it: short, and without control characters."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    text = ascii(value) if isinstance(value, str) else str(value).lower()
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."
