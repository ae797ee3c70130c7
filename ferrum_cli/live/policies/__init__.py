"""Eviction policies: which states make room first. One file is one policy, found by its name.

A policy is a module with `order`, which walks the live handles from the first victim on. Policies
know nothing about how much room is needed; the planner passes over pinned handles.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

from ferrum_cli import discover
from ferrum_cli.errors import UsageError
from ferrum_cli.live.manager.handle import StateHandle

Live = OrderedDict[str, StateHandle]
"""Live handles by their requests' UUIDs, the least recently used first."""
Order = Callable[[Live], Iterable[StateHandle]]


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
