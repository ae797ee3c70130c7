"""Evict the state that was allocated longest ago, however lately it was used.

It walks all live states at each eviction. It knows nothing about sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ferrum_cli.live.policies import C


def order(live: Mapping[str, C]) -> Iterable[C]:
    """By the number of the allocation."""
    return sorted(live.values(), key=lambda state: state.number)
