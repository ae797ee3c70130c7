"""An engine's options as one table, and `--set KEY=VALUE` read against it.

It knows nothing about a particular engine; whole command lines are not read here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from ferrum_cli.discover import suggestion
from ferrum_cli.errors import FerrumError, UsageError
from ferrum_cli.quantity import parse_bytes, parse_tokens

Source = Literal["flag", "environment", "config", "default"]


class Kind(Enum):
    """What an option's text is read as."""

    FLAG = "flag"
    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    TOKENS = "tokens"
    BYTES = "bytes"
    JSON = "json"
    INTEGERS = "integers"
    NUMBERS = "numbers"
    BYTES_LIST = "bytes_list"
    TEXTS = "texts"


_LISTS = (Kind.INTEGERS, Kind.NUMBERS, Kind.BYTES_LIST, Kind.TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of an engine: a flag's long name with underscores, or a variable it reads.

    `since` and `until` bound the versions that know it (`until` is the first that does not).
    """

    name: str
    kind: Kind
    meaning: str
    default: Any = None
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Texts that stand for themselves beside what the kind reads, such as `auto`."""
    environment: bool = False
    lowest: float | None = None
    highest: float | None = None
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """An option's value and where it came from."""

    value: Any
    source: Source


class Settings(Mapping[str, Setting]):
    """Values for every option of a table; reading one gives its value."""

    def __init__(self, table: Sequence[Option], given: Mapping[str, Setting]) -> None:
        defaults = {o.name: Setting(o.default, "default") for o in table}
        self._settings = defaults | dict(given)

    def __getitem__(self, name: str) -> Setting:
        return self._settings[name]

    def __iter__(self) -> Any:
        return iter(self._settings)

    def __len__(self) -> int:
        return len(self._settings)

    def value(self, name: str) -> Any:
        """The value of an option."""
        return self._settings[name].value

    def is_given(self, name: str) -> bool:
        """Whether the option was set rather than left at its default."""
        return self._settings[name].source != "default"

    def given(self) -> dict[str, Setting]:
        """The options that were set."""
        return {n: s for n, s in self._settings.items() if s.source != "default"}


def parse_assignment(table: Sequence[Option], text: str) -> tuple[Option, tuple[Any, ...]]:
    """Read `KEY=VALUE`; several values where commas make a sweep. Raises UsageError."""
    key, equals, value = text.partition("=")
    where = f"--set {key}"
    if not equals or not key:
        raise UsageError(f"{text!r} is no KEY=VALUE", hint="write --set name=value", where="--set")
    option = find(table, key.replace("-", "_"))
    if option is None:
        known = [o.name for o in table]
        raise UsageError(
            f"unknown option {key!r}",
            hint=suggestion(key, known) if known else "this engine has no options",
            where="--set",
        )
    try:
        return option, tuple(parse_value(option, item) for item in _items(option, value))
    except FerrumError as error:
        raise UsageError(error.message, hint=error.hint, where=where) from None


def find(table: Sequence[Option], name: str) -> Option | None:
    """The option called `name`."""
    return next((option for option in table if option.name == name), None)


def parse_value(option: Option, text: str) -> Any:
    """One value of the option's kind. Raises UsageError or QuantityError."""
    if option.kind in _LISTS:
        return [_scalar(option, item) for item in text.split(",")]
    return _scalar(option, text)


def _items(option: Option, text: str) -> list[str]:
    """The values of a sweep; lists and JSON are never split."""
    if option.kind in (*_LISTS, Kind.JSON) or text[:1] in ("{", "[", '"'):
        return [text]
    return text.split(",")


def _scalar(option: Option, text: str) -> Any:
    if text in option.words:
        return text
    return _bounded(option, _READERS[option.kind](option, text))


def _flag(option: Option, text: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    if text.lower() not in words:
        raise UsageError(f"{option.name} is true or false, not {text!r}")
    return words[text.lower()]


def _integer(option: Option, text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20):  # noqa: PLR2004 - 2⁶⁴ has 20 digits
        raise UsageError(f"{option.name} is a whole number, not {text!r}")
    return int(text)


def _number(option: Option, text: str) -> float:
    try:
        number = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{option.name} is a number, not {text!r}")
    return number


def _bounded(option: Option, number: Any) -> Any:
    """The value itself, if it is within the option's bounds; only numbers have bounds."""
    if option.lowest is not None and number < option.lowest:
        raise UsageError(f"{option.name} is at least {option.lowest}, not {number}")
    if option.highest is not None and number > option.highest:
        raise UsageError(f"{option.name} is at most {option.highest}, not {number}")
    return number


def _json(option: Option, text: str) -> Any:
    import json  # noqa: PLC0415 - most plans set no option, and start-up counts

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(f"{option.name} is JSON, not {text[:60]!r}") from None


def _text(option: Option, text: str) -> str:
    if option.choices and text not in option.choices:
        raise UsageError(
            f"{option.name}: invalid choice {text!r}",
            hint="choose from " + ", ".join(option.choices),
        )
    return text


_READERS: dict[Kind, Callable[[Option, str], Any]] = {
    Kind.FLAG: _flag,
    Kind.INTEGER: _integer,
    Kind.INTEGERS: _integer,
    Kind.NUMBER: _number,
    Kind.NUMBERS: _number,
    Kind.TOKENS: lambda _, text: parse_tokens(text),
    Kind.BYTES: lambda _, text: parse_bytes(text),
    Kind.BYTES_LIST: lambda _, text: parse_bytes(text),
    Kind.JSON: _json,
    Kind.TEXT: _text,
    Kind.TEXTS: _text,
}
