"""One figure with what it is held against, and how figures are taken on a machine that is shared.

It knows nothing about what is measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

ROUNDS = 25


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value, and the yardstick or the plain operation in the same unit.

    `ratio` is their quotient: times are better when it is small, rates when it is large.
    """

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def ratio(self) -> float | None:
        """Value over limit."""
        return self.value / self.limit if self.limit else None

    def to_json(self) -> dict[str, object]:
        """As it stands in a run report."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "limit": self.limit,
            "ratio": self.ratio,
        }


def fastest(
    works: Mapping[str, Callable[[], object]],
    rounds: int = ROUNDS,
    clock: Callable[[], int] = time.process_time_ns,
) -> dict[str, int]:
    """The shortest time of each, in ns, over rounds in which they take turns.

    What else runs on the machine only ever adds; with turns it adds to all alike.
    """
    best: dict[str, int] = {}
    for _ in range(rounds):
        for name, work in works.items():
            started = clock()
            work()
            took = clock() - started
            best[name] = min(took, best.get(name, took))
    return best
