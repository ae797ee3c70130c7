"""The key-value pairs of a GGUF header: names, types, values, and where each stands.

What a vocabulary holds is skipped, not read. It knows nothing about architectures, nor what a key
means.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ferrum_cli.describe.gguf_file.cursor import Cursor

MAX_PAIRS = 65_536
MAX_STRINGS = 1_048_576
"""Strings in all arrays together; vocabularies and their merges have up to 800,000."""
_LONGEST_KEY = 65_535
_LONGEST_STRING_KEPT = 4096
_LONGEST_ARRAY_KEPT = 65_536
_SMALLEST_PAIR = 8 + 1 + 4 + 1

_STRING, _ARRAY = 8, 9
_NUMBERS: Mapping[int, tuple[str, struct.Struct]] = {
    0: ("uint8", struct.Struct("<B")),
    1: ("int8", struct.Struct("<b")),
    2: ("uint16", struct.Struct("<H")),
    3: ("int16", struct.Struct("<h")),
    4: ("uint32", struct.Struct("<I")),
    5: ("int32", struct.Struct("<i")),
    6: ("float32", struct.Struct("<f")),
    7: ("bool", struct.Struct("<?")),
    10: ("uint64", struct.Struct("<Q")),
    11: ("int64", struct.Struct("<q")),
    12: ("float64", struct.Struct("<d")),
}
"""Types of numbers (docs/gguf.md of ggml); 8 is a string and 9 an array."""

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class Value:
    """A value, the name of its type, and the byte where it stands.

    `value` is None for what is too long to be a fact of the architecture; `length` counts the items
    of an array and is None for a scalar.
    """

    kind: str
    value: Scalar | tuple[Scalar, ...] | None
    offset: int
    length: int | None = None


class Metadata(Mapping[str, Value]):
    """All pairs of one file, in its order."""

    def __init__(self, pairs: Mapping[str, Value], source: str) -> None:
        self._pairs = pairs
        self.source = source

    def __getitem__(self, key: str) -> Value:
        return self._pairs[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)


def read_pairs(cursor: Cursor, count: int) -> Metadata:
    """Read `count` pairs. Raises DescriptionError with the byte of whatever is wrong."""
    if count > MAX_PAIRS:
        cursor.fail(f"{count:,} key-value pairs, the most is {MAX_PAIRS:,}")
    cursor.require(count * _SMALLEST_PAIR, f"a table of {count:,} key-value pairs")
    reader = _Reader(cursor)
    pairs: dict[str, Value] = {}
    for number in range(count):
        at = cursor.position
        key = reader.key(number)
        if key in pairs:
            cursor.fail(f"the key {key!r} stands twice", at=at)
        pairs[key] = reader.value(key)
    return Metadata(pairs, cursor.source)


class _Reader:
    """Reads keys and values, and counts the strings in arrays over the whole file."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._strings = 0

    def key(self, number: int) -> str:
        what = f"the name of key {number}"
        at = self._cursor.position
        length = self._cursor.length(what)
        if not 0 < length <= _LONGEST_KEY:
            self._cursor.fail(f"{what} is {length:,} bytes long", at=at)
        raw = self._cursor.take(length, what)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self._cursor.fail(f"{what} is not UTF-8", at=at)

    def value(self, key: str) -> Value:
        what = f"the value of {_shown(key)}"
        at = self._cursor.position
        kind = self._type(what)
        if kind == _ARRAY:
            return self._array(what, at)
        if kind == _STRING:
            return Value("string", self._string(what), at)
        name, form = _NUMBERS[kind]
        return Value(name, self._cursor.number(form, what), at)

    def _type(self, what: str) -> int:
        at = self._cursor.position
        kind = int(self._cursor.number(struct.Struct("<I"), what))
        if kind not in _NUMBERS and kind not in (_STRING, _ARRAY):
            self._cursor.fail(f"{what} has type {kind}, which GGUF does not have", at=at)
        return kind

    def _string(self, what: str) -> str | None:
        length = self._cursor.length(what)
        if length > _LONGEST_STRING_KEPT:
            self._cursor.skip(length, what)
            return None
        return self._cursor.take(length, what).decode(errors="replace")

    def _array(self, what: str, at: int) -> Value:
        start = self._cursor.position
        kind = self._type(what)
        if kind == _ARRAY:
            self._cursor.fail(f"{what} is an array of arrays", at=start)
        count = self._cursor.length(what)
        if kind == _STRING:
            self._skip_strings(count, what)
            return Value("strings", None, at, count)
        name, form = _NUMBERS[kind]
        if count > _LONGEST_ARRAY_KEPT:
            self._cursor.skip(count * form.size, what)
            return Value(name, None, at, count)
        raw = self._cursor.take(count * form.size, what)
        return Value(name, tuple(item for (item,) in form.iter_unpack(raw)), at, count)

    def _skip_strings(self, count: int, what: str) -> None:
        self._strings += count
        if self._strings > MAX_STRINGS:
            self._cursor.fail(
                f"{what} brings the strings in arrays to {self._strings:,}, the most is"
                f" {MAX_STRINGS:,}"
            )
        self._cursor.skip_strings(count, what)


def _shown(key: str) -> str:
    return ascii(key)[:60]
