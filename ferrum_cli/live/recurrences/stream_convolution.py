"""Convolutions over the streams of a layer (Inkling): a window for each stream.

It knows nothing about what the convolutions compute.
"""

from __future__ import annotations

from ferrum_cli.live.recurrences.short_conv import chunk, step

__all__ = ["chunk", "step"]
