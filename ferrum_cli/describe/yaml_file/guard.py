"""Turns the bytes of a YAML file into plain data, and remembers where every key and value stands.

Everything that makes YAML dangerous or surprising is refused as it comes by, before anything is
built from it: size, depth, aliases, tags, duplicate keys, numbers without end. It knows nothing
about models; what the keys mean is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import yaml

from ferrum_cli.describe.regular_file import read_bytes, shown_path
from ferrum_cli.describe.yaml_file.scalar import plain_value, refusal_of_text
from ferrum_cli.errors import DescriptionError, Location

MAX_BYTES = 256 * 1024
MAX_EVENTS = 50_000
MAX_DEPTH = 32
MAX_KEY = 128

Route = tuple[str | int, ...]
"""The way from the top to a value: keys of mappings and positions in lists."""

Place = tuple[int, int]
"""Line and column, both counted from 1."""

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Besides what YAML itself forbids: tabs, byte order marks, and the three line breaks of Unicode,
# at which YAML would count another line while no editor does.
_FORBIDDEN = (
    "[^\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "a byte order mark",
    b"\xff\xfe": "the byte order mark of UTF-16",
    b"\xfe\xff": "the byte order mark of UTF-16",
}
_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"
_FLATTEN = "write it with fewer brackets inside brackets"
_SAVE_AS_UTF8 = "save the file as UTF-8 without a byte order mark"


@dataclass(frozen=True, slots=True)
class Document:
    """The data of one file, and where in the file it stands."""

    source: str
    data: dict[str, Any]
    keys: dict[Route, Place] = field(default_factory=dict)
    values: dict[Route, Place] = field(default_factory=dict)

    def where(self, route: Route, *, key: bool = False) -> Location:
        """The place of a value, or of its key; of what encloses it where it is not in the file."""
        place = self.keys.get(route) if key else None
        while place is None:
            place = self.values.get(route)
            route = route[:-1]
        return Location(self.source, *place)


def read(path: Path | str) -> Document:
    """Read a file. Raises DescriptionError with its place for whatever cannot be read."""
    return parse(read_bytes(path, MAX_BYTES), shown_path(path))


def parse(content: bytes, source: str) -> Document:
    """Read the bytes of a file that messages call `source`."""
    reader = _Reader(source, _text(content, source))
    try:
        return reader.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problem = error.problem or "unreadable"
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # The pure parser lets some of Python's own errors through, such as chr()'s.
        place, problem = reader.last, str(error)
    if "nesting depth" in problem:  # libyaml reads ahead, and has a limit of its own
        raise DescriptionError(_TOO_DEEP, hint=_FLATTEN, where=Location(source, *place)) from None
    raise DescriptionError(
        f"this is not YAML: {ascii(problem)[1:-1][:200]}",
        hint="look for a missing quote, bracket, colon or space just before this place",
        where=Location(source, *place),
    ) from None


def _text(content: bytes, source: str) -> str:
    if len(content) > MAX_BYTES:
        raise DescriptionError(
            f"larger than {MAX_BYTES:,} bytes, the most that is read", where=Location(source)
        )
    for mark, name in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            raise DescriptionError(
                f"begins with {name}", hint=_SAVE_AS_UTF8, where=Location(source, 1, 1)
            )
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise DescriptionError(
            f"byte 0x{content[error.start]:02x} is not UTF-8",
            hint=_SAVE_AS_UTF8,
            where=_end_of(content[: error.start].decode(), source),
        ) from None
    _refuse_characters(text, source)
    return text


def _refuse_characters(text: str, source: str) -> None:
    if text.isascii() and text.replace("\n", "").replace("\r", "").isprintable():
        return  # nearly every file; the expression costs as much as reading one
    found = re.search(_FORBIDDEN, text)
    if found is None:
        return
    if found[0] == "\t":
        message, hint = "a tab", "indent and separate with spaces"
    else:
        message, hint = f"the character U+{ord(found[0]):04X} is not allowed", "remove it"
    if found[0] == "\0":
        hint = "is it UTF-16? " + _SAVE_AS_UTF8
    raise DescriptionError(message, hint=hint, where=_end_of(text[: found.start()], source))


def _end_of(before: str, source: str) -> Location:
    """The place of the character that follows `before`."""
    lines = (before + "x").splitlines()
    return Location(source, len(lines), len(lines[-1]))


class _Reader:
    """Builds data from the parser's events, one at a time, and stops at the first refusal."""

    def __init__(self, source: str, text: str) -> None:
        self._source = source
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_LOADER)
        self._left = MAX_EVENTS
        self._keys: dict[Route, Place] = {}
        self._values: dict[Route, Place] = {}
        self.last: Place = (1, 1)

    def document(self) -> Document:
        """The one document of the file, which must be a mapping."""
        self._next()
        start = self._next()
        if isinstance(start, yaml.StreamEndEvent):
            self._fail("the file is empty", "write 'key: value'")
        if isinstance(start, yaml.DocumentStartEvent) and (start.version or start.tags):
            self._fail("directives are not read", "remove the line that begins with %")
        data = self._value(self._next(), (), 0)
        if data is None:
            self._fail("the file is empty", "write 'key: value'", self._values[()])
        if not isinstance(data, dict):
            noun = "a list" if isinstance(data, list) else "a single value"
            self._fail(f"this is {noun}, not a mapping", "write 'key: value'", self._values[()])
        self._next()
        if not isinstance(self._next(), yaml.StreamEndEvent):
            self._fail("a second document", "write one document in one file; remove the '---'")
        return Document(self._source, data, self._keys, self._values)

    def _next(self) -> yaml.Event:
        event = next(self._events)
        if mark := event.start_mark:
            self.last = (mark.line + 1, mark.column + 1)
        self._left -= 1
        if self._left < 0:
            self._fail(f"more than {MAX_EVENTS:,} keys, values and brackets", "use a smaller file")
        return event

    def _fail(self, message: str, hint: str | None = None, place: Place | None = None) -> NoReturn:
        raise DescriptionError(
            message, hint=hint, where=Location(self._source, *(place or self.last))
        )

    def _value(self, event: yaml.Event, route: Route, depth: int) -> Any:
        self._values[route] = self.last
        self._refuse_reference(event)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if depth == MAX_DEPTH:
            self._fail(_TOO_DEEP, _FLATTEN)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(route, depth + 1)
        return self._list(route, depth + 1)

    def _refuse_reference(self, event: yaml.Event) -> None:
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.AliasEvent):
            self._fail(f"the alias *{anchor!s:.40} is not read", "write the value out")
        if anchor is not None:
            self._fail(
                f"the anchor &{anchor!s:.40} is not read",
                "remove it, and write the value out where its alias stands",
            )
        if getattr(event, "tag", None) is not None:
            self._fail("tags are not read", "remove the word that begins with '!'")

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        value: Any = event.value
        refusal = refusal_of_text(value)
        if refusal is None and event.implicit[0]:
            value, refusal = plain_value(value)
        if refusal is not None:
            self._fail(*refusal)
        return value

    def _list(self, route: Route, depth: int) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            found.append(self._value(event, (*route, len(found)), depth))
        return found

    def _mapping(self, route: Route, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event)
            inner = (*route, key)
            if key in found:
                line, column = self._keys[inner]
                self._fail(
                    f"duplicate key {key!r}, first at line {line}, column {column}",
                    "remove one of the two",
                )
            self._keys[inner] = self.last
            found[key] = self._value(self._next(), inner, depth)
        return found

    def _key(self, event: yaml.Event) -> str:
        self._refuse_reference(event)
        if not isinstance(event, yaml.ScalarEvent):
            self._fail("a list or mapping as a key", "a key is text")
        if event.implicit[0] and event.value == "<<":
            self._fail("the merge key '<<' is not read", "write the keys out")
        key = self._scalar(event)
        if not isinstance(key, str):
            self._fail(f"the key {event.value[:40] or 'null'} is not text", "put it in quotes")
        if len(key) > MAX_KEY:
            self._fail(f"a key of {len(key):,} characters", f"the most is {MAX_KEY}")
        return key
