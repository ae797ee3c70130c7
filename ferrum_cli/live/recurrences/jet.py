"""Jet (Jet-Nemotron): a gated delta rule over values that a generated convolution has filtered.

Its window runs over the values alone. It knows nothing about the convolution's generator.
"""

from __future__ import annotations

from ferrum_cli.live.recurrences.gated_delta_net import chunk, step

__all__ = ["chunk", "step"]
