"""JSON as checkpoints have it: bytes → plain data, and the place of a field where one is wanted.

A bare `Infinity` or `NaN`, and `{"__float__": "Infinity"}` as transformers 5 writes them, are
floats. Duplicate keys, deep nesting and numbers without end are refused. It knows nothing about
models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ferrum_cli.errors import DescriptionError, Location

MAX_DEPTH = 32

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_ENDLESS = re.compile(r"[0-9]{4000,}")
_FLOATS = ("Infinity", "-Infinity", "NaN")
_HINT = "check that this is the config.json of a checkpoint"
_OTHERS = (
    ("\ufeff", "begins with a byte order mark", "save the file as UTF-8 without it"),
    ("version https://git-lfs", "a Git LFS pointer instead of the file", "run 'git lfs pull'"),
    ("<", "HTML or XML instead of JSON", "download the file itself, not the page about it"),
)


def parse(content: bytes, source: str) -> dict[str, Any]:
    """The object in `content`. Raises DescriptionError with its place for whatever is not one."""
    text = _decoded(content, source)
    try:
        data = json.loads(text, object_pairs_hook=_object)
        depth = _depth(data)
    except json.JSONDecodeError as error:
        problem, hint = _no_json(text, error.msg)
        raise _refusal(problem, text, error.pos, source, hint) from None
    except _DuplicateKeyError as error:
        at = _second_of_a_key(text)
        raise _refusal(str(error), text, at, source, "remove one of the two") from None
    except RecursionError:
        depth = MAX_DEPTH + 1
    except ValueError:
        endless = _ENDLESS.search(text)
        at = endless.start() if endless else 0
        raise _refusal("a number of thousands of digits", text, at, source) from None
    if depth > MAX_DEPTH:
        at = _first_below(text, MAX_DEPTH)
        raise _refusal(f"nested more than {MAX_DEPTH} deep", text, at, source)
    if not isinstance(data, dict):
        raise _refusal("this is not a JSON object", text, 0, source)
    return data


def place(content: bytes, field: str, source: str) -> Location:
    """Where the value of `field` stands, such as `text_config.layer_types[3]`.

    A field that is missing stands where what should hold it stands.
    """
    text = content.decode()
    found = dict(_values(text))
    while field not in found:
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return _location(text, found[field], source)


class _DuplicateKeyError(Exception):
    """A key that stands twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> Any:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _DuplicateKeyError(f"duplicate key {ascii(twice)[:60]}")
    if len(found) == 1 and found.get("__float__") in _FLOATS:
        return float(found["__float__"])
    return found


def _depth(data: Any) -> int:
    """Levels of nesting; walked level by level, because data from outside may be deep."""
    depth, level = 0, [data]
    while level and depth <= MAX_DEPTH:
        depth += 1
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner.extend(value.values())
            elif isinstance(value, list):
                inner.extend(value)
        level = [value for value in inner if isinstance(value, (dict, list))]
    return depth


def _decoded(content: bytes, source: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        problem = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise _refusal(problem, before, len(before), source) from None


def _no_json(text: str, problem: str) -> tuple[str, str]:
    """What a file is that is not JSON, and what to do about it."""
    for beginning, what, hint in _OTHERS:
        if text.startswith(beginning):
            return what, hint
    if not text.strip():
        return "the file is empty", _HINT
    return f"this is not JSON: {problem}", _HINT


def _refusal(
    problem: str, text: str, offset: int, source: str, hint: str = _HINT
) -> DescriptionError:
    return DescriptionError(problem, hint=hint, where=_location(text, offset, source))


def _location(text: str, offset: int, source: str) -> Location:
    line = text.count("\n", 0, offset)
    return Location(source, line + 1, offset - text.rfind("\n", 0, offset))


def _values(text: str) -> Iterator[tuple[str, int]]:
    """The path of every value in JSON that has been parsed before, with its offset."""
    stack: list[tuple[str, int | None]] = []
    key: str | None = None
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in ("}", "]"):
            stack.pop()
        elif word == ",":
            path, position = stack[-1]
            stack[-1] = (path, None if position is None else position + 1)
            key = None
        elif word != ":":
            if stack and stack[-1][1] is None and key is None:
                key = json.loads(word)
                continue
            path = _path(stack, key)
            yield path, token.start()
            if word in ("{", "["):
                stack.append((path, None if word == "{" else 0))
                key = None


def _path(stack: list[tuple[str, int | None]], key: str | None) -> str:
    if not stack:
        return ""
    path, position = stack[-1]
    if position is not None:
        return f"{path}[{position}]"
    return f"{path}.{key}" if path else str(key)


def _second_of_a_key(text: str) -> int:
    seen: set[str] = set()
    for path, offset in _values(text):
        if path in seen:
            return offset
        seen.add(path)
    return 0


def _first_below(text: str, depth: int) -> int:
    """The offset of the first bracket that opens more than `depth` levels."""
    level = 0
    for token in _TOKEN.finditer(text):
        level += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if level > depth:
            return token.start()
    return 0
