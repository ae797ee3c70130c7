"""Typed reading of an architecture's keys: every one is asked for by name, type and default.

A family reads its keys through this and never sees a wrong type. It knows nothing about families.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ferrum_cli.blocks import LARGEST_SIZE
from ferrum_cli.describe.gguf_file.metadata import Metadata, Value
from ferrum_cli.errors import DescriptionError

MAX_LAYERS = 4096
"""Layers that a file may have; every layer becomes an object here."""

_REQUIRED: Any = object()
_WHOLE = frozenset(("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"))


class GgufFields:
    """The keys of one architecture: `size("block_count")` reads `llama.block_count`."""

    def __init__(self, metadata: Metadata, architecture: str) -> None:
        self._metadata = metadata
        self._prefix = architecture

    def __contains__(self, name: str) -> bool:
        return self.key(name) in self._metadata

    def key(self, name: str) -> str:
        """The whole key; names of other groups (`general.`, `tokenizer.`) stay as they are."""
        grouped = name.startswith(("general.", "tokenizer."))
        return name if grouped else f"{self._prefix}.{name}"

    def fail(self, name: str, problem: str, hint: str | None = None) -> NoReturn:
        """Refuse the key `name`, at the byte where its value stands."""
        key = self.key(name)
        found = self._metadata.get(key)
        place = f": byte {found.offset}" if found else ""
        raise DescriptionError(
            f"{key}: {problem}", hint=hint, where=f"{self._metadata.source}{place}"
        )

    def size(self, name: str, default: int | None = _REQUIRED) -> Any:
        """A positive whole number; with a default of None it may be absent."""
        return self._integer(name, default, 1)

    def count(self, name: str, default: int | None = _REQUIRED) -> Any:
        """A whole number that may be zero."""
        return self._integer(name, default, 0)

    def number(self, name: str, default: float | None = None) -> float | None:
        """A finite number of ordinary magnitude, or the default."""
        found = self._found(name, default)
        if found is None:
            return default
        value = found.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail(name, f"expected a number, found {_shown(found)}")
        if not abs(value) <= LARGEST_SIZE:
            self.fail(name, f"expected an ordinary number, found {_shown(found)}")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false, or the default."""
        found = self._found(name, default)
        if found is None:
            return default
        if not isinstance(found.value, bool):
            self.fail(name, f"expected true or false, found {_shown(found)}")
        return found.value

    def text(self, name: str, default: str | None = _REQUIRED) -> Any:
        """A short string."""
        found = self._found(name, default)
        if found is None:
            return default
        if not isinstance(found.value, str):
            self.fail(name, f"expected a short text, found {_shown(found)}")
        return found.value

    def length(self, name: str) -> int | None:
        """Items of an array that itself is not read, or None where there is none."""
        found = self._found(name, None)
        if found is not None and found.length is None:
            self.fail(name, f"expected an array, found {_shown(found)}")
        return None if found is None else found.length

    def per_layer(self, name: str, layers: int, default: int | None = _REQUIRED) -> tuple[int, ...]:
        """A whole number for each layer: an array of as many, or one number for all."""
        found = self._found(name, default)
        if found is None or found.length is None:
            return (self.count(name, default),) * layers
        self._check_length(name, found, layers)
        return tuple(self._items(name, found, 0))

    def flags(self, name: str, layers: int) -> tuple[bool, ...] | None:
        """True or false for each layer, or None where nothing is said."""
        found = self._found(name, None)
        if found is None:
            return None
        self._check_length(name, found, layers)
        if not isinstance(found.value, tuple):
            self.fail(name, f"expected an array, found {_shown(found)}")
        return tuple(bool(item) for item in found.value)

    def counts(self, name: str) -> tuple[int, ...]:
        """An array of whole numbers; empty where there is none."""
        found = self._found(name, None)
        return () if found is None else tuple(self._items(name, found, 0))

    def _check_length(self, name: str, found: Value, layers: int) -> None:
        if found.length != layers:
            stated = "no array" if found.length is None else f"{found.length:,} entries"
            self.fail(name, f"{stated} for {layers:,} layers")

    def _items(self, name: str, found: Value, lowest: int) -> list[int]:
        if not isinstance(found.value, tuple) or found.kind not in _WHOLE:
            self.fail(name, f"expected an array of whole numbers, found {_shown(found)}")
        for position, item in enumerate(found.value):
            if not lowest <= item <= LARGEST_SIZE:  # type: ignore[operator]
                self.fail(name, f"entry {position} is {item}")
        return [int(item) for item in found.value]

    def _integer(self, name: str, default: Any, lowest: int) -> Any:
        found = self._found(name, default)
        if found is None:
            return default
        value = found.value
        if found.kind not in _WHOLE or not isinstance(value, int):
            self.fail(name, f"expected a whole number, found {_shown(found)}")
        if not lowest <= value <= LARGEST_SIZE:
            self.fail(name, f"expected {lowest} to {LARGEST_SIZE}, found {value}")
        return value

    def _found(self, name: str, default: Any) -> Value | None:
        found = self._metadata.get(self.key(name))
        if found is None and default is _REQUIRED:
            self.fail(name, "is missing", "convert the model again, or describe it in YAML")
        return found


def _shown(found: Value) -> str:
    if found.length is not None:
        return f"an array of {found.length:,} {found.kind}"
    if found.value is None:
        return f"a {found.kind} of great length"
    return f"{ascii(found.value)[:40]} of type {found.kind}"
