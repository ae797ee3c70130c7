"""Words as the values that an engine's parser makes of them.

It knows nothing about command lines or about what a value decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ferrum_cli.engines._command_line import Flag, Reads

_INTEGER = re.compile(r"\s*[+-]?[0-9]+(?:_[0-9]+)*\s*")
_LEADING_INTEGER = re.compile(r"\s*[+-]?[0-9]+")
_LEADING_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?|\.[0-9]|inf|nan)", re.IGNORECASE)
_BETWEEN = re.compile(r"[,/]+")
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)([A-Za-z]+)")
_STRINGS = re.compile(r'("(?:[^"\\]|\\.)*")')
_BARE_AMOUNT = re.compile(r"\b[0-9]+(?:\.[0-9]+)?[kKmMgGtT]\b")
_OBJECT = re.compile(r"(?s)\s*\{.*\}\s*")
_LONGEST_NUMBER = 30
_MOST_BRACKETS = 400
_C_INTEGERS = range(-(2**31), 2**31)

Suffixes = Mapping[str, int]


def value(flag: Flag, word: str, suffixes: Suffixes) -> Any:
    """What the flag stores for a word. Raises ValueError, with the engine's kind of words."""
    if flag.nullable and word in ("", "None"):
        return None
    read = _READERS[flag.reads](word, suffixes)
    if flag.choices:
        for item in word.split(",") if flag.listed else (str(read),):
            if item not in flag.choices:
                raise ValueError(f"invalid choice: {item!r}")
    return read if flag.constant is None else flag.constant


def amount(word: str, suffixes: Suffixes) -> int:
    """An integer, with one of the engine's suffixes or none."""
    match = _AMOUNT.fullmatch(word.strip())
    if match is None or match[2] not in suffixes or len(word) > _LONGEST_NUMBER:
        return _integer(word, suffixes)
    number, factor = match[1], suffixes[match[2]]
    if "." not in number:
        return int(number) * factor
    if factor & (factor - 1) == 0:
        raise ValueError(f"decimals are not allowed with the binary suffix {match[2]}: {word!r}")
    return int(float(number) * factor)


def _integer(word: str, _: Suffixes) -> int:
    if not _INTEGER.fullmatch(word) or len(word) > _LONGEST_NUMBER:
        raise ValueError(f"invalid int value: {word!r}")
    return int(word)


def _leading_integer(word: str, _: Suffixes) -> int:
    match = _LEADING_INTEGER.match(word)
    if match is None:
        raise ValueError(f"stoi: no integer begins {word!r}")
    if len(match[0]) > _LONGEST_NUMBER or int(match[0]) not in _C_INTEGERS:
        raise ValueError(f"stoi: {word!r} is out of range")
    return int(match[0])


def _number(word: str, _: Suffixes) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"invalid float value: {word!r}") from None


def _auto_amount(word: str, suffixes: Suffixes) -> int:
    return -1 if word.strip().lower() in ("-1", "auto") else amount(word, suffixes)


def loads(word: str) -> Any:
    """JSON. Raises ValueError."""
    if word.count("{") + word.count("[") > _MOST_BRACKETS:
        raise ValueError(f"too many brackets: {word[:80]!r}")
    try:
        return json.loads(word, parse_constant=_constant)
    except (ValueError, RecursionError):
        raise ValueError(f"invalid JSON: {word[:80]!r}") from None


def _constant(name: str) -> Any:
    """NaN and Infinity are read by Python, but are no JSON that can be passed on."""
    raise ValueError(name)


def _object(word: str, suffixes: Suffixes) -> Any:
    """A JSON object, in which bare numbers may have suffixes."""
    pieces = _STRINGS.split(word)
    for position in range(0, len(pieces), 2):
        pieces[position] = _BARE_AMOUNT.sub(
            lambda match: str(amount(match[0], suffixes)), pieces[position]
        )
    read = loads("".join(pieces))
    if not isinstance(read, dict):
        raise ValueError(f"no JSON object: {word[:80]!r}")  # noqa: TRY004 - as the parsers do
    return read


def _bounded(holds: Callable[[int], bool]) -> Callable[[str, Suffixes], int]:
    def read(word: str, _: Suffixes) -> int:
        number = _leading_integer(word, {})
        if not holds(number):
            raise ValueError("invalid value")
        return number

    return read


def _leading_number(word: str, _: Suffixes) -> str:
    if not _LEADING_NUMBER.match(word):
        raise ValueError(f"stof: no number begins {word!r}")
    return word


def _leading_numbers(word: str, suffixes: Suffixes) -> str:
    for number in _BETWEEN.split(word):
        _leading_number(number, suffixes)
    return word


def _pairs(word: str, _: Suffixes) -> str:
    if not all("=" in pair for pair in word.split(",")):
        raise ValueError("invalid value")
    return word


def _layers(word: str, _: Suffixes) -> str:
    if word not in ("auto", "all"):
        _leading_integer(word, {})
    return word


_READERS: dict[Reads, Callable[[str, Suffixes], Any]] = {
    Reads.TEXT: lambda word, _: word,
    Reads.INTEGER: _integer,
    Reads.LEADING_INTEGER: _leading_integer,
    Reads.COUNT: _bounded(lambda number: number >= 0),
    Reads.POSITIVE: _bounded(lambda number: number > 0),
    Reads.NONZERO: _bounded(bool),
    Reads.LEADING_NUMBER: _leading_number,
    Reads.LEADING_NUMBERS: _leading_numbers,
    Reads.PAIRS: _pairs,
    Reads.NUMBER: _number,
    Reads.AMOUNT: amount,
    Reads.AUTO_AMOUNT: _auto_amount,
    Reads.JSON: lambda word, _: loads(word),
    Reads.JSON_OBJECT: _object,
    Reads.JSON_OR_TEXT: lambda word, _: loads(word) if _OBJECT.fullmatch(word) else word,
    Reads.LAYERS: _layers,
    Reads.IDENTIFIER: lambda word, _: word.lower().replace("-", "_"),
}
