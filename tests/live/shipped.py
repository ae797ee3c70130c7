"""Shipped models as real memory is given them."""

from __future__ import annotations

from functools import cache

from ferrum_cli.commands._state_model import state_model
from ferrum_cli.describe.source import read_model
from ferrum_cli.live.model import StateModel


@cache
def shipped_state_model(name: str) -> StateModel:
    """The state of one slot of a shipped model, not split over devices."""
    return state_model(read_model(name), tp=1, pp=1)
