"""Strict checks of single values: a value and its path in, the value or a ContractError out.

It knows nothing about which types or fields the contract has.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TypeVar

from ferrum_cli.errors import ContractError
from ferrum_cli.quantity import MAX_USIZE

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

_MAX_SHOWN = 48


def refusal(path: str, wanted: str, value: object, *, hint: str | None = None) -> ContractError:
    """The error that says at which path what was expected and what was found."""
    found = f"expected {wanted}, got {_shown(value)}"
    return ContractError(f"{path}: {found}" if path else found, hint=hint)


def usize(value: object, path: str) -> int:
    """An integer from 0 to 2⁶⁴-1. Python's bool is an int, the contract's is not."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_USIZE:
        raise refusal(path, f"an integer from 0 to {MAX_USIZE}", value)
    return value


def usizes(value: object, path: str) -> tuple[int, ...]:
    """A sequence of such integers, kept as a tuple."""
    return tuple(usize(item, f"{path}[{i}]") for i, item in enumerate(sequence(value, path)))


def text(value: object, path: str) -> str:
    """A string that Rust can hold, so without lone surrogates."""
    if not isinstance(value, str):
        raise refusal(path, "a string", value)
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise refusal(path, "a string of valid Unicode", value)
    return value


def sequence(value: object, path: str) -> Sequence[object]:
    """A list, tuple or other sequence; text and bytes are sequences only to Python."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray | memoryview):
        raise refusal(path, "an array", value)
    return value


def instance(value: object, kind: type[T], path: str) -> T:
    """A value of one of the contract's own types."""
    if not isinstance(value, kind):
        raise refusal(path, f"a {kind.__name__}", value)
    return value


def variant(value: object, kind: type[E], path: str) -> E:
    """The member of an enum whose name the value is; case matters, as in serde."""
    names = kind.__members__
    if not isinstance(value, str) or value not in names:
        raise refusal(path, f"a {kind.__name__}", value, hint=f"one of {', '.join(names)}")
    return names[value]


def record(value: object, path: str, names: Sequence[str]) -> dict[str, tuple[object, str]]:
    """The fields of an object that has exactly these names, each with its own path."""
    if not isinstance(value, dict):
        raise refusal(path, "an object", value)
    hint = f"the fields are {', '.join(names)}"
    for key in value:
        if key not in names:
            raise _misfit(path, f"unknown field {_shown(key)}", hint)
    for name in names:
        if name not in value:
            raise _misfit(path, f"missing field {name!r}", hint)
    return {name: (value[name], f"{path}.{name}" if path else name) for name in names}


def _misfit(path: str, problem: str, hint: str) -> ContractError:
    return ContractError(f"{path}: {problem}" if path else problem, hint=hint)


def _shown(value: object) -> str:
    """The value as JSON names it, short whatever its size; str() of a huge int is an error."""
    if isinstance(value, str):
        return repr(value if len(value) <= _MAX_SHOWN else f"{value[:_MAX_SHOWN]}…")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 2 * MAX_USIZE.bit_length():
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, int | float):
        return str(value)
    kind = type(value).__name__
    return {"dict": "an object", "list": "an array"}.get(kind, f"a {kind}")
