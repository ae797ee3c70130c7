"""State as a function of tokens, computed without weights: what drills and recomputation need.

`exact` gives the same bytes on any device, whichever way the tokens are split; every other file is
the fp32 recurrence of the block kind of its name. They know nothing about requests.
"""

from __future__ import annotations

from ferrum_cli.live.recurrences._recurrence import BlockState, Recurrence

__all__ = ["BlockState", "Recurrence"]
