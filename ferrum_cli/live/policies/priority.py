"""Evict the state of least priority; among equals, the one that was used longest ago.

Priorities are given with the allocation. It walks all live states at each eviction and knows
nothing about sizes.
"""

from __future__ import annotations

from collections.abc import Iterable

from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.policies import Live


def order(live: Live) -> Iterable[StateHandle]:
    """By priority, least first."""
    return sorted(live.values(), key=lambda handle: handle.priority)
