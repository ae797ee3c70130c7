"""What one unquoted word of YAML means, with fewer surprises than YAML 1.1 has.

Only plain decimal numbers are numbers and only `true` and `false` are booleans; `no`, `010`,
`1:30`, `0x10` and dates stay text. It knows nothing about keys, files or places.
"""

from __future__ import annotations

import math
import re

MAX_TEXT = 4096
MAX_DIGITS = 20
"""2⁶⁴ has twenty."""

Refusal = tuple[str, str]
"""What is wrong and what to do."""

_CONSTANTS: dict[str, bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "~": None,
    "": None,
}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|nan)", re.IGNORECASE)


def plain_value(text: str) -> tuple[str | int | float | bool | None, Refusal | None]:
    """The value of an unquoted scalar, or why it is refused."""
    if text in _CONSTANTS:
        return _CONSTANTS[text], None
    return _number(text) if text[0] in "-+.0123456789" else (text, None)


def refusal_of_text(text: str) -> Refusal | None:
    """Why text of any kind is refused: it is too long, or a terminal would act on it."""
    if len(text) > MAX_TEXT:
        return f"text of {len(text):,} characters", f"the most is {MAX_TEXT:,}"
    if not text.isprintable():
        found = next(c for c in text if not c.isprintable())
        return f"text with the invisible character U+{ord(found):04X}", "remove it"
    return None


def _number(text: str) -> tuple[str | int | float | None, Refusal | None]:
    if _NOT_FINITE.fullmatch(text):
        return None, (f"{text} is not a finite number", "write a finite number")
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text, None
    if number[1] is None and number[2] is None:
        return _integer(text)
    value = float(text)
    if math.isinf(value):
        return None, (f"{text[:40]} is too large for a number", "write a smaller one")
    return value, None


def _integer(text: str) -> tuple[int | None, Refusal | None]:
    # Checked first: int() of thousands of digits is slow, and of 4,301 a bare ValueError.
    if len(text) > MAX_DIGITS + 1:
        return None, (f"a number of {len(text):,} digits", f"the most is {MAX_DIGITS}")
    return int(text), None
