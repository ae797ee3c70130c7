"""A plan: what was asked, what the engine answered, and the verdict.

It knows nothing about how a plan is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ferrum_cli.engines import Answer, Question, Weights
from ferrum_cli.expand import Parameters
from ferrum_cli.plan.advice import Advice
from ferrum_cli.report import Finding


class Verdict(Enum):
    """Whether what was asked for holds."""

    FITS = "fits"
    DOES_NOT_FIT = "does_not_fit"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on the bytes of one device, what is needed, and what would make it hold."""

    limit_bytes: int
    needed_bytes: int
    remedies: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the need stays within the limit."""
        return self.needed_bytes <= self.limit_bytes


@dataclass(frozen=True, slots=True)
class Plan:
    """One model with one engine on one machine."""

    question: Question
    answer: Answer
    parameters: Parameters
    verdict: Verdict
    findings: tuple[Finding, ...]
    budget: Budget | None = None
    advice: Advice | None = None
    """What would reach a target that was named and is missed."""

    @property
    def weights(self) -> Weights:
        """The weights as the engine holds them on each pipeline rank."""
        return self.answer.weights or self.question.weights
