"""PLaMo-2's Mamba: the recurrence of Mamba-2, with a window over x alone.

It knows nothing about projections.
"""

from __future__ import annotations

from ferrum_cli.live.recurrences.mamba2 import chunk, step

__all__ = ["chunk", "step"]
