"""Eviction policies: which states make room first. One file is one policy, found by its name.

A policy is a module with `order`, which walks the live states from the first victim on. Policies
know nothing about how much room is needed; the planner passes over pinned states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from ferrum_cli import discover
from ferrum_cli.errors import UsageError


class Candidate(Protocol):
    """What a policy may look at."""

    number: int
    """Which allocation it was."""
    priority: int
    """Given with the allocation; more is more important."""

    def state_bytes(self) -> int:
        """Its size."""
        ...


C = TypeVar("C", bound=Candidate)


class Order(Protocol):
    """Live states, the least recently used first, in the order in which they are to go."""

    def __call__(self, live: Mapping[str, C]) -> Iterable[C]:
        """The first victim first."""
        ...


def policies() -> tuple[str, ...]:
    """Every policy; none is imported."""
    return discover.names(__name__)


def policy(name: str) -> Order:
    """The order of a policy. Raises UsageError for an unknown name."""
    module = discover.load(__name__, name)
    if module is None:
        raise UsageError(
            f"unknown policy {name!r}",
            hint=discover.suggestion(name, policies()),
            where="--policy",
        )
    order: Order = module.order
    return order
