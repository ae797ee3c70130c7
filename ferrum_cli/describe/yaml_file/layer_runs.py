"""Finds the shortest way to write a row of layers: runs of a pattern, and single layers between.

It knows nothing about what a layer is, only whether two are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_LONGEST_PATTERN = 64
_COUNTS_TRIED = 8


@dataclass(frozen=True, slots=True)
class Run(Generic[T]):
    """`pattern`, `repeat` times one after another."""

    pattern: tuple[T, ...]
    repeat: int = 1


def runs(row: Sequence[T]) -> tuple[Run[T], ...]:
    """Runs that make up `row`, with the fewest items and brackets written.

    The best way to write every tail of the row is found from its end on. Patterns are at most 64
    layers long, and of the counts that a run could have the eight highest are tried, so that
    thousands of layers are no trouble.
    """
    numbers = _numbers(row)
    size = len(numbers)
    costs = [(0, 0)] * (size + 1)
    steps = [(1, 1)] * size
    # matches[p]: how many items from here on equal the one p places further.
    matches = [0] * (_LONGEST_PATTERN + 1)
    for start in range(size - 1, -1, -1):
        best, covered = _plus(costs[start + 1], 1), 1
        for period in range(1, min(_LONGEST_PATTERN, size - start - 1) + 1):
            equal = numbers[start] == numbers[start + period]
            matches[period] = matches[period] + 1 if equal else 0
            most = matches[period] // period + 1
            for repeat in range(most, max(1, most - _COUNTS_TRIED), -1):
                # One for the brackets around the pattern.
                cost = _plus(costs[start + period * repeat], period + 1)
                # Of two equally short ways the one that covers more reads more naturally.
                if (cost, -period * repeat) < (best, -covered):
                    best, covered = cost, period * repeat
                    steps[start] = (period, repeat)
        costs[start] = best
    return tuple(_taken(row, steps))


def whole_run(row: Sequence[T]) -> Run[T]:
    """`row` as one run of its shortest pattern."""
    size = len(row)
    for period in range(1, size):
        if size % period == 0 and row[period:] == row[:-period]:
            return Run(tuple(row[:period]), size // period)
    return Run(tuple(row))


def _plus(cost: tuple[int, int], written: int) -> tuple[int, int]:
    """Costs are compared by what is written, then by the number of lines."""
    return cost[0] + written, cost[1] + 1


def _numbers(row: Sequence[T]) -> list[int]:
    """Equal items as equal small numbers, which compare faster."""
    seen: dict[T, int] = {}
    return [seen.setdefault(item, len(seen)) for item in row]


def _taken(row: Sequence[T], steps: Sequence[tuple[int, int]]) -> list[Run[T]]:
    found: list[Run[T]] = []
    start = 0
    while start < len(row):
        period, repeat = steps[start]
        found.append(Run(tuple(row[start : start + period]), repeat))
        start += period * repeat
    return found
