"""Evict the state that was used longest ago.

It knows nothing about sizes. The next victim is found at once, however many states live.
"""

from __future__ import annotations

from collections.abc import Iterable

from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.policies import Live


def order(live: Live) -> Iterable[StateHandle]:
    """The order of use itself."""
    return live.values()
