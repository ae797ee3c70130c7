"""Figures of this machine: the manager's work, copies of states, and what layouts cost.

It knows nothing about how figures are shown.
"""

from __future__ import annotations

from ferrum_cli.live.measure._measurement import Measurement
from ferrum_cli.live.measure.bookkeeping import bookkeeping
from ferrum_cli.live.measure.copies import copy_times
from ferrum_cli.live.measure.overhead import overhead

__all__ = ["Measurement", "bookkeeping", "copy_times", "overhead"]
