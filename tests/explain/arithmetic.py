"""Formulas of figures, worked out: numbers and signs count, the words between them explain.

What stands behind a semicolon, or behind a comma outside `min` and `max`, is a remark.
"""

from __future__ import annotations

import math
import re

_TOKEN = re.compile(
    r"\d+(?:\.\d+)?(?:e-?\d+)?|//|[+\-−×·*/(),⌈⌉⌊⌋²]|\b(?:min|max|round)\(|--?[A-Za-z][\w-]*"
    r"|[^\W\d][\w.'-]*|\S"
)
_SIGNS = {"−": "-", "×": "*", "·": "*", "⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "²": "**2"}
_ALLOWED = re.compile(r"\d|//|[+\-*/(),]|(?:min|max|round|ceil|floor)\(|\*\*2")
_NAMES = {"ceil": math.ceil, "floor": math.floor, "min": min, "max": max, "round": round}


def value_of(formula: str) -> float | None:
    """What the arithmetic of a formula comes to; None where it is a rule in words."""
    text = _without_remarks(" ".join(_signs(formula.split(";", maxsplit=1)[0])))
    while (shorter := re.sub(r"(?<![a-z])\(\s*\)", "", text)) != text:
        text = shorter
    if not re.search(r"\d", text):
        return None
    try:
        return float(eval(text, {"__builtins__": {}}, dict(_NAMES)))  # noqa: S307 - signs and numbers
    except (SyntaxError, TypeError, ZeroDivisionError):
        return None


def _signs(formula: str) -> list[str]:
    """The tokens that are arithmetic."""
    found = []
    for token in _TOKEN.findall(formula):
        sign = _SIGNS.get(token, token)
        if _ALLOWED.match(sign):
            found.append(sign)
    return found


def _without_remarks(text: str) -> str:
    """What stands before the first comma outside all parentheses."""
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            return text[:position]
    return text
