"""Drills: scripted runs against real memory, at whose end every invariant holds.

One file is one drill, found by its name: `async def run(scene)`. They know nothing about models:
they are given tensors, and states are functions of tokens.
"""

from __future__ import annotations

from ferrum_cli.live.drills._runner import DrillResult, chosen_drills, drills, run_drill, run_drills
from ferrum_cli.live.drills._scene import Scene, Stage

__all__ = [
    "DrillResult",
    "Scene",
    "Stage",
    "chosen_drills",
    "drills",
    "run_drill",
    "run_drills",
]
