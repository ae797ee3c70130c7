"""The contract's manager over real memory, its handles, and its books.

It knows nothing about models or engines.
"""

from __future__ import annotations

from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.manager.manager import StateManager
from ferrum_cli.live.manager.pool import StatePool

__all__ = ["StateHandle", "StateManager", "StatePool"]
