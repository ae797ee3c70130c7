"""One thing that was verified: what was expected, what was measured, and whether they agree.

It knows nothing about how anything is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ferrum_cli.report import Unit


class Verdict(Enum):
    """What came of a check."""

    HOLDS = "holds"
    FAILS = "fails"
    REPORTED = "reported"
    """Other processes share in it, so that it is shown but not judged."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check. `tolerance` is in the unit of the values."""

    name: str
    expected: int | str
    measured: int | str
    verdict: Verdict
    unit: Unit = Unit.NONE
    tolerance: int = 0

    def to_json(self) -> Mapping[str, object]:
        """As it stands in a run report."""
        numbers = isinstance(self.expected, int) and isinstance(self.measured, int)
        return {
            "name": self.name,
            "expected": self.expected,
            "measured": self.measured,
            "difference": int(self.measured) - int(self.expected) if numbers else None,
            "tolerance": self.tolerance,
            "verdict": self.verdict.value,
        }


def equal(name: str, expected: int, measured: int, unit: Unit = Unit.BYTES) -> Check:
    """The two must be the same number."""
    return near(name, expected, measured, 0, unit)


def near(name: str, expected: int, measured: int, tolerance: int, unit: Unit = Unit.BYTES) -> Check:
    """The two may differ by the tolerance."""
    holds = abs(measured - expected) <= tolerance
    verdict = Verdict.HOLDS if holds else Verdict.FAILS
    return Check(name, expected, measured, verdict, unit, tolerance)


def shown(name: str, expected: int, measured: int, unit: Unit = Unit.BYTES) -> Check:
    """The two are reported and not judged."""
    return Check(name, expected, measured, Verdict.REPORTED, unit)


def said(name: str, expected: str, measured: str) -> Check:
    """An outcome in words."""
    verdict = Verdict.HOLDS if expected == measured else Verdict.FAILS
    return Check(name, expected, measured, verdict)
