"""Evict nothing: what does not fit is refused.

It knows nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.policies import Live


def order(live: Live) -> Iterable[StateHandle]:
    """No victims."""
    del live
    return ()
