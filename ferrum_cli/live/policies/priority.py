"""Evict the state of least priority; among equals, the one that was used longest ago.

Priorities are given with the allocation. It walks all live states at each eviction and knows
nothing about sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ferrum_cli.live.policies import C


def order(live: Mapping[str, C]) -> Iterable[C]:
    """By priority, least first."""
    return sorted(live.values(), key=lambda state: state.priority)
