"""`$((…))`: whole numbers as a shell calculates them.

It knows nothing about where the expression stands.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

_TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]{1,15})|(?P<operator>\*\*|<<|>>|[-+*/%()]))")
_LONGEST = 200
_LARGEST = 2**63
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "<<": 0, ">>": 0, "**": 3}


def calculate(expression: str) -> int | None:
    """The value of an expression of numbers and operators; None for anything else."""
    tokens = _tokens(expression)
    if not tokens:
        return None
    try:
        value, rest = _sum(tokens, 0)
    except (IndexError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return value if not rest and abs(value) < _LARGEST else None


def _tokens(expression: str) -> list[str]:
    found: list[str] = []
    position = 0
    text = expression.strip()
    while position < len(text) and len(text) <= _LONGEST:
        match = _TOKEN.match(text, position)
        if match is None:
            return []
        found.append(match["number"] or match["operator"])
        position = match.end()
    return found


def _sum(tokens: list[str], lowest: int) -> tuple[int, list[str]]:
    """The value of what stands first, with operators of at least `lowest` precedence."""
    left, rest = _atom(tokens)
    while rest and _PRECEDENCE.get(rest[0], -1) >= lowest:
        sign, rest = rest[0], rest[1:]
        right, rest = _sum(rest, _PRECEDENCE[sign] + (sign != "**"))
        left = _apply(sign, left, right)
        if abs(left) >= _LARGEST:
            raise ValueError(sign)
    return left, rest


def _atom(tokens: list[str]) -> tuple[int, list[str]]:
    first, rest = tokens[0], tokens[1:]
    if first == "(":
        value, rest = _sum(rest, 0)
        if rest[0] != ")":
            raise ValueError(first)
        return value, rest[1:]
    if first in "+-":
        value, rest = _atom(rest)
        return (-value if first == "-" else value), rest
    return int(first), rest


def _apply(sign: str, left: int, right: int) -> int:
    """One operation."""
    if sign in ("**", "<<", ">>") and right not in _SHIFTS:
        raise ValueError(sign)
    return _OPERATIONS[sign](left, right)


def _quotient(left: int, right: int) -> int:
    """A division that drops what is behind the point, as C's does."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_SHIFTS = range(64)
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": lambda left, right: left - right * _quotient(left, right),
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
