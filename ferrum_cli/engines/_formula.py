"""Formulas as text: arithmetic in the field's signs, each number followed by what it is.

Leave the words out, and what is left can be worked out; a comma or a semicolon begins a remark. It
knows nothing about a particular figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ferrum_cli.engines._engine import Figure, StateTensor


def summed(sizes: Iterable[float], noun: str, unit: str) -> str:
    """Equal sizes gathered: `12 layers × 2048 B + 3 layers × 1152 B`."""
    counts = Counter(size for size in sizes if size)
    terms = (f"{count} {noun} × {number(size)} {unit}" for size, count in counts.items())
    return " + ".join(terms) or f"0 {unit}, no such {noun}"


def number(size: float) -> str:
    """A whole number without a point."""
    return str(int(size)) if size == int(size) else str(size)


def slot(tensors: Iterable[StateTensor]) -> str:
    """The tensors of one slot: `36 conv_state × 8192·3 × 2 B + …`."""
    counts = Counter((x.name, x.shape, x.dtype.size_bytes) for x in tensors)
    terms = (
        f"{count} {name} × {'·'.join(map(str, shape))} × {size} B"
        for (name, shape, size), count in counts.items()
    )
    return " + ".join(terms) or "0 B, no recurrent state"


def least(formulas: Sequence[str]) -> str:
    """The smallest of several, or the only one."""
    different = tuple(dict.fromkeys(formulas))
    return different[0] if len(different) == 1 else f"min({', '.join(different)})"


def largest(formulas: Sequence[str]) -> str:
    """The largest of several, or the only one."""
    different = tuple(dict.fromkeys(formulas))
    return different[0] if len(different) == 1 else f"max({', '.join(different)})"


def by_rank(
    name: str, values: Sequence[float], formulas: Sequence[str], source: str
) -> Iterator[Figure]:
    """A figure for each pipeline rank: under its own name for one rank, else numbered."""
    for rank, (value, formula) in enumerate(zip(values, formulas, strict=True)):
        yield Figure(name if len(values) == 1 else f"{name}.{rank}", value, formula, source)
