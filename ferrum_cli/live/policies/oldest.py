"""Evict the state that was allocated longest ago, however lately it was used.

It walks all live states at each eviction. It knows nothing about sizes.
"""

from __future__ import annotations

from collections.abc import Iterable

from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.policies import Live


def order(live: Live) -> Iterable[StateHandle]:
    """By the number of the allocation."""
    return sorted(live.values(), key=lambda handle: handle.number)
