"""Holds a document from outside against the file format, and says in words what is wrong with it.

It knows nothing about reading files, nor about what the sizes mean together (see `coherence`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from ferrum_cli.describe.yaml_file.coherence import incoherences
from ferrum_cli.describe.yaml_file.format import LAYER_TAGS, PATTERNS, Model
from ferrum_cli.describe.yaml_file.guard import Document, Route
from ferrum_cli.describe.yaml_file.problem import Problem, raise_first, shown_route, shown_value
from ferrum_cli.discover import nearest
from ferrum_cli.errors import QuantityError
from ferrum_cli.quantity import parse_tokens

_Error = Mapping[str, Any]

_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_SHAPES = {
    "list_type": "write a list in brackets: [a, b]",
    "dict_type": "write a mapping: {key: value}",
    "model_type": "write a mapping: {key: value}",
    "model_attributes_type": "write a mapping: {kind: attention, num_heads: 32}",
}
_WORDS: dict[str, tuple[str, str | None]] = {
    "greater_than_equal": ("{name} is {value}", "the least is {ge}"),
    "less_than_equal": ("{name} is {value}", "the most is {le}"),
    "too_short": ("{name} is empty", "give at least one"),
    "string_too_short": ("{name} is empty", "give a value, or leave the key out"),
    "too_long": ("{name} has too many entries", "the most is {max_length}"),
    "string_too_long": ("{name} is too long", "the most is {max_length} characters"),
    "ferrum": ("{name}: {message}", "{hint}"),
}
_MOST_COMPARED = 64
_QUOTED = r"'([^']*)'"
_BASES = {"0x": 16, "0o": 8, "0b": 2}


def validate(document: Document) -> None:
    """Raise a DescriptionError that names the first problem in the file, if there is one."""
    known_keys: dict[int, tuple[str, ...]] = {}
    try:
        Model.model_validate(document.data, context=known_keys)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise_first(_problems(found, document, known_keys), document)
    raise_first(incoherences(document.data), document)


def _problems(
    errors: list[Any], document: Document, known_keys: dict[int, tuple[str, ...]]
) -> Iterator[Problem]:
    """Every error in words; a missing key is not told where an unknown one looks like it."""
    missing = [_route(e["loc"]) for e in errors if e["type"] == "missing"]
    unknown = [_route(e["loc"]) for e in errors if e["type"] == "extra_forbidden"]
    misspelt = _misspelt(missing, unknown) if len(errors) <= _MOST_COMPARED else ()
    yield from (_missing(route) for route in missing if route not in misspelt)
    for route in unknown:
        known = known_keys.get(id(_at(document.data, route[:-1])), ())
        key = str(route[-1])
        yield Problem(route, f"unknown key {key!r}", at_key=True, unknown=(key, known))
    for error in errors:
        if error["type"] not in ("missing", "extra_forbidden"):
            route = _route(error["loc"])
            yield _problem(error, route, _at(document.data, route))


def _misspelt(missing: list[Route], unknown: list[Route]) -> set[Route]:
    """Missing keys for which an unknown key of the same mapping was probably meant."""
    found = set()
    for *inside, key in missing:
        beside = [str(route[-1]) for route in unknown if route[:-1] == tuple(inside)]
        if nearest(str(key), beside):
            found.add((*inside, key))
    return found


def _route(location: tuple[str | int, ...]) -> Route:
    """Pydantic's location without what it adds: the kind of a block, and tags of alternatives."""
    if location[0] == "blocks":
        return (*location[:2], *location[3:])
    # A tag follows a position in a list of layers; elsewhere the same text is somebody's key.
    pairs = zip(location, (None, *location), strict=False)
    return tuple(
        step for step, before in pairs if not (step in LAYER_TAGS and isinstance(before, int))
    )


def _at(data: Any, route: Route) -> Any:
    """The value at a route; None where there is none."""
    for step in route:
        data = data.get(step) if isinstance(data, dict) else data[step]
    return data


def _missing(route: Route) -> Problem:
    inside = f" in {shown_route(route[:-1])}" if len(route) > 1 else ""
    return Problem(
        route[:-1], f"missing key {str(route[-1])!r}{inside}", "add it", at_key=len(route) > 1
    )


def _problem(error: _Error, route: Route, value: Any) -> Problem:
    kind = error["type"]
    if value is None:
        return Problem(route, f"{shown_route(route)} is empty", "give a value, or leave it out")
    if kind in _WANTED:
        message = f"{shown_route(route)} is {shown_value(value)}, not {_WANTED[kind]}"
        return Problem(route, message, _instead(kind, route, value))
    special = _SPECIAL.get(kind, _in_words)
    return special(error, route, value)


def _in_words(error: _Error, route: Route, value: Any) -> Problem:
    said = {
        "name": shown_route(route),
        "value": shown_value(value),
        "words": error["msg"],
        **error.get("ctx", {}),
    }
    message, hint = _WORDS.get(error["type"], ("{name}: {words}", None))
    return Problem(route, message.format(**said), hint and hint.format(**said))


def _no_kind(_error: _Error, route: Route, _value: Any) -> Problem:
    return _missing((*route, "kind"))


def _unknown_kind(error: _Error, route: Route, value: Any) -> Problem:
    known = re.findall(_QUOTED, error["ctx"]["expected_tags"])
    message = f"unknown kind of block {shown_value(value['kind'])}"
    return Problem((*route, "kind"), message, unknown=(str(value["kind"]), known))


def _not_one_of(error: _Error, route: Route, value: Any) -> Problem:
    known = re.findall(_QUOTED, error["ctx"]["expected"])
    message = f"{shown_route(route)} cannot be {shown_value(value)}"
    return Problem(route, message, unknown=(str(value), known))


def _bad_name(error: _Error, route: Route, value: Any) -> Problem:
    is_key = error["loc"][-1] == "[key]"
    name = route[-1] if is_key else value
    hint = "use " + PATTERNS[error["ctx"]["pattern"]]
    return Problem(route, f"{shown_value(name)} is no name", hint, at_key=is_key)


_SPECIAL = {
    "union_tag_not_found": _no_kind,
    "union_tag_invalid": _unknown_kind,
    "literal_error": _not_one_of,
    "string_pattern_mismatch": _bad_name,
}


def _instead(kind: str, route: Route, value: Any) -> str:
    """What to write where a value of the wrong type stands."""
    if kind == "int_type":
        return _whole_number(value)
    if kind == "string_type" and "layers" in route[:2]:
        return "write the name of a block"
    if kind == "string_type" and not isinstance(value, list | dict):
        return f'put it in quotes: "{shown_value(value)}"'
    if kind == "bool_type" and isinstance(value, str):
        return "write true or false, in lower case and without quotes"
    if kind == "list_type" and isinstance(value, str):
        return f"put it in brackets: [{value:.40}]"
    return _SHAPES.get(kind, f"write {_WANTED[kind]}")


def _whole_number(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return f"write {int(value)}"
    text = value.replace("_", "") if isinstance(value, str) else ""
    base = _BASES.get(text[:2].lower(), 10)
    # Short ones only: int() of thousands of digits is slow, and of 4,301 raises.
    if re.fullmatch(
        r"0[xX][0-9a-fA-F]{1,16}|0[oO][0-7]{1,16}|0[bB][01]{1,16}|\+?[0-9]{1,20}", text
    ):
        quotes = ", without quotes" if re.fullmatch("0|[1-9][0-9]*", str(value)) else ""
        return f"write {int(text, base)}{quotes}"
    try:
        return f"write {parse_tokens(text)}"
    except QuantityError:
        return "write a whole number in decimal digits"
