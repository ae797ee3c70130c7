"""Advice: what was tried for a target that a plan misses, and what to start with.

It knows nothing about how the changes are found, nor about how they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ferrum_cli.engines import Answer, Question
from ferrum_cli.plan.command import Written


class Outcome(Enum):
    """How far the advice gets."""

    REACHED = "reached"
    MORE_DEVICES = "more_devices"
    NEAREST = "nearest"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """A change, planned: what it costs besides memory, and what the engine answered."""

    price: str
    options: Mapping[str, Any]
    """The change itself, without what sizes the start to it."""
    devices: int = 1
    """How many times as many devices."""
    question: Question
    """The question with the change and the sizing in it."""
    answer: Answer

    @property
    def requests(self) -> int:
        """Requests that run; none where the engine does not start."""
        return runs(self.answer)

    @property
    def advised(self) -> dict[str, Any]:
        """Everything to be set: the change, and the sizing."""
        return {**self.options, **self.answer.sizing}


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What was tried for a target, cheapest first, and what to start with."""

    before: Answer
    sized: Answer
    """The answer with the sizing alone, which every try has too: what changes buy is more."""
    tries: tuple[Try, ...]
    chosen: Try | None
    """None where not one request runs, whatever is done."""
    outcome: Outcome
    written: Written | None = None
    """The command line that the plan was read from."""
    context_instead: int | None = None
    """The longest context at which the requests run here without a change, if they do at any."""


def runs(answer: Answer) -> int:
    """Requests that run at the context asked about; none where the engine does not start."""
    return 0 if answer.refusal is not None else answer.capacity.max_requests or 0


def room(answer: Answer) -> int | None:
    """Bytes for state and KV that the requests asked about leave, or lack where it is negative."""
    if answer.capacity.available_bytes is None:
        return None
    needed = sum(
        line.size_bytes
        for line in answer.memory
        if line.budgeted and not line.name.endswith("weights")
    )
    return answer.capacity.available_bytes - needed
