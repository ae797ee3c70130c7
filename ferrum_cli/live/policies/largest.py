"""Evict the largest state first, so that few requests are disturbed; among equals, by use.

It walks all live states at each eviction. It knows nothing about how much room is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ferrum_cli.live.policies import C


def order(live: Mapping[str, C]) -> Iterable[C]:
    """By bytes, most first."""
    return sorted(live.values(), key=lambda state: -state.state_bytes())
