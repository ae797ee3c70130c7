"""Evict the state that was used longest ago.

It knows nothing about sizes. The next victim is found at once, however many states live.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ferrum_cli.live.policies import C


def order(live: Mapping[str, C]) -> Iterable[C]:
    """The order of use itself."""
    return live.values()
