"""Amounts of bytes and tokens: text to integer and back, and the contract's saturating arithmetic.

It knows nothing about what is counted: no model, no engine, no device.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ferrum_cli.errors import QuantityError

MAX_USIZE = 2**64 - 1
"""The largest amount there is. An estimate of this size has overflowed (see `fits`)."""

# One byte written in TiB has 40 decimals. int() of digits without end would be quadratic.
_MAX_CHARACTERS = 64
_KIB = 2**10


def saturating_add(left: int, right: int) -> int:
    """Rust's `usize::saturating_add`."""
    return min(left + right, MAX_USIZE)


def saturating_mul(left: int, right: int) -> int:
    """Rust's `usize::saturating_mul`."""
    return min(left * right, MAX_USIZE)


def checked_product(factors: Iterable[int]) -> int | None:
    """The product, or None as soon as one on the way exceeds 2⁶⁴-1, even if a zero would follow."""
    product = 1
    for factor in factors:
        product *= factor
        if product > MAX_USIZE:
            return None
    return product


def fits(needed: int, budget: int) -> bool:
    """Whether `needed` holds within `budget`.

    A saturated need is an overflow whose true size is unknown, so it fits no budget, not even one
    of 2⁶⁴-1.
    """
    return needed <= budget and needed < MAX_USIZE


@dataclass(frozen=True, slots=True)
class _Scale:
    """What one kind of amount may look like, and what people write instead."""

    noun: str
    number: str
    units: Mapping[str, int]
    slips: Mapping[str, tuple[str, ...]]
    example: str

    def match(self, text: str) -> re.Match[str] | None:
        """Number and unit as groups 1 and 2, if `text` is written by this scale's rules."""
        if len(text) > _MAX_CHARACTERS:
            return None
        return re.fullmatch(f"({self.number})({'|'.join(self.units)})", text)


_BYTES = _Scale(
    noun="bytes",
    number=r"[0-9]+(?:\.[0-9]+)?",
    units={
        "KiB": _KIB,
        "MiB": 2**20,
        "GiB": 2**30,
        "TiB": 2**40,
        "KB": 10**3,
        "MB": 10**6,
        "GB": 10**9,
        "TB": 10**12,
        "": 1,
    },
    slips={"": ("",), "b": ("",)}
    | {f"{letter}ib": (f"{letter.upper()}iB",) for letter in "kmgt"}
    | {f"{letter}i": (f"{letter.upper()}iB",) for letter in "kmgt"}
    | {f"{letter}b": (f"{letter.upper()}B",) for letter in "kmgt"}
    | {letter: (f"{letter.upper()}iB", f"{letter.upper()}B") for letter in "kmgt"},
    example="80GiB (binary), 80GB (decimal) or a bare number of bytes",
)
_TOKENS = _Scale(
    noun="tokens",
    number="[0-9]+",
    units={"k": 2**10, "M": 2**20, "": 1},
    slips={"k": ("k",), "m": ("M",), "": ("",)},
    example="128k (131,072), 1M (1,048,576) or a bare number of tokens",
)


def parse_bytes(text: str) -> int:
    """Read `80GiB`, `1.5GB` or a bare number of bytes. Raises QuantityError for all other text."""
    return _parse(text, _BYTES)


def parse_tokens(text: str) -> int:
    """Read `128k` (131,072), `1M` (1,048,576) or a bare number; else raises QuantityError."""
    return _parse(text, _TOKENS)


def format_bytes(count: int) -> str:
    """A short form for people, rounded to two decimals: `73.69 MiB`. It cannot be parsed back."""
    if count < _KIB:
        return f"{count} B"
    for unit in ("KiB", "MiB", "GiB"):
        text = f"{count / _BYTES.units[unit]:.2f}"
        # The rounded text decides: one byte less than 1 MiB is 1.00 MiB, not 1024.00 KiB.
        if float(text) < _KIB:
            return f"{text} {unit}"
    return f"{count / _BYTES.units['TiB']:.2f} TiB"


def format_bytes_exact(count: int) -> str:
    """The exact form that `parse_bytes` reads back: `80GiB`, `75456KiB`, `1000`."""
    return _format_exact(count, _BYTES, ("TiB", "GiB", "MiB", "KiB"))


def format_tokens(count: int) -> str:
    """The exact form that `parse_tokens` reads back: `128k`, `1M`, `1000`."""
    return _format_exact(count, _TOKENS, ("M", "k"))


def _parse(text: str, scale: _Scale) -> int:
    match = scale.match(text)
    if match is None:
        raise QuantityError(f"{_shown(text)} is no amount of {scale.noun}", hint=_hint(text, scale))
    whole, _, fraction = match[1].partition(".")
    # Integers all the way: a float would lose bytes from 2⁵³ on.
    scaled = int(whole + fraction) * scale.units[match[2]]
    divisor: int = 10 ** len(fraction)
    count, rest = divmod(scaled, divisor)
    if count > MAX_USIZE:
        raise QuantityError(
            f"{text!r} is more than {MAX_USIZE} {scale.noun}",
            hint="the largest amount is one less than 2^64",
        )
    if rest:
        raise QuantityError(
            f"{text!r} is no whole number of {scale.noun}",
            hint=f"write {count}",
        )
    return count


def _format_exact(count: int, scale: _Scale, units: tuple[str, ...]) -> str:
    for unit in units:
        if count and count % scale.units[unit] == 0:
            return f"{count // scale.units[unit]}{unit}"
    return str(count)


def _hint(text: str, scale: _Scale) -> str:
    """What was probably meant, in a form that parses; otherwise what may be written."""
    return "write " + (" or ".join(_meant(text, scale)) or scale.example)


def _meant(text: str, scale: _Scale) -> list[str]:
    plain = text.replace(" ", "").replace("_", "").removeprefix("+")
    loose = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", plain)
    if loose is None:
        return []
    candidates = [loose[1] + unit for unit in scale.slips.get(loose[2].lower(), ())]
    return [candidate for candidate in candidates if scale.match(candidate)]


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…")
