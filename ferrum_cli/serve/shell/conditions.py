"""`[ … ]`, `[[ … ]]` and `test`: what can be said of them without running anything.

It knows nothing about files: whether one is there is not known.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence

from ferrum_cli.serve.shell.values import Argument

_TEXT: dict[str, Callable[[str, str], bool]] = {
    "=": fnmatch.fnmatchcase,
    "==": fnmatch.fnmatchcase,
    "!=": lambda left, right: not fnmatch.fnmatchcase(left, right),
}
_NUMBER: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_BRACKETS = {"[": "]", "[[": "]]"}


def holds(words: Sequence[Argument]) -> bool | None:
    """Whether a command that only tests something succeeds; None where that is not known."""
    name = words[0].text if words else ""
    if name in ("true", ":"):
        return True
    if name == "false":
        return False
    if name == "test":
        return _holds(words[1:])
    if name in _BRACKETS and words[-1].text == _BRACKETS[name]:
        return _holds(words[1:-1])
    return None


def is_test(name: str) -> bool:
    """Whether a command called `name` does nothing but test."""
    return name in ("true", ":", "false", "test", *_BRACKETS)


def _holds(operands: Sequence[Argument]) -> bool | None:
    if operands and operands[0].text == "!":
        inner = _holds(operands[1:])
        return None if inner is None else not inner
    known = [text for operand in operands if (text := _known(operand)) is not None]
    if len(known) < len(operands):
        return None
    match known:
        case ["-n", text] | [text]:
            return bool(text)
        case ["-z", text]:
            return not text
        case [left, operator, right]:
            return _compared(left, operator, right)
    return None


def _compared(left: str, operator: str, right: str) -> bool | None:
    if operator in _TEXT:
        return _TEXT[operator](left, right)
    if operator in _NUMBER and _is_number(left) and _is_number(right):
        return _NUMBER[operator](int(left), int(right))
    return None


def _known(operand: Argument) -> str | None:
    """The operand's text; a variable that is not set is empty, as it is to a shell."""
    if not operand.missing:
        return operand.text
    alone = len(operand.missing) == 1 and operand.missing[0].isidentifier()
    name = operand.missing[0]
    return "" if alone and operand.text in (f"${name}", f"${{{name}}}") else None


def _is_number(text: str) -> bool:
    return bool(_INTEGER.fullmatch(text))
