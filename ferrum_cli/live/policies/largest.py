"""Evict the largest state first, so that few requests are disturbed; among equals, by use.

It walks all live states at each eviction. It knows nothing about how much room is needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.policies import Live


def order(live: Live) -> Iterable[StateHandle]:
    """By bytes, most first."""
    return sorted(live.values(), key=lambda handle: -handle.state_bytes())
