"""Evict nothing: what does not fit is refused.

It knows nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ferrum_cli.live.policies import C


def order(live: Mapping[str, C]) -> Iterable[C]:
    """No victims."""
    del live
    return ()
