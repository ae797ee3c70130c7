"""Whoever waits for room, first come first served.

It knows nothing about room itself: it calls the first in line when something was given back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

MOST_PASSES = 64
"""How many allocations that did not wait may pass the first in line, until they are refused."""


class Turn:
    """A place in the line."""

    __slots__ = ("_called", "is_served", "passed")

    def __init__(self) -> None:
        self._called = asyncio.Event()
        self.passed = 0
        """Allocations that went before it although it came first."""
        self.is_served = False

    def call(self) -> None:
        """Something was given back: try again."""
        self._called.set()

    @contextmanager
    def served(self) -> Iterator[None]:
        """It is the turn's own attempt that is made: nobody passes it."""
        self.is_served = True
        try:
            yield
        finally:
            self.is_served = False

    async def called(self) -> None:
        """Wait for the next call."""
        await self._called.wait()
        self._called.clear()


class WaitingLine:
    """Turns in the order of their coming; only the first is ever called."""

    def __init__(self) -> None:
        self.turns: deque[Turn] = deque()

    def join(self) -> Turn:
        """Stand at the end; whoever is alone there is called at once."""
        turn = Turn()
        self.turns.append(turn)
        if len(self.turns) == 1:
            turn.call()
        return turn

    def leave(self, turn: Turn) -> None:
        """Go, served or not. The next one is called, for the turn may have come for nothing."""
        self.turns.remove(turn)
        self.call_first()

    def call_first(self) -> None:
        """Something was given back."""
        if self.turns:
            self.turns[0].call()

    def pass_by(self) -> None:
        """An allocation that did not wait has succeeded."""
        if self.turns and not self.turns[0].is_served:
            self.turns[0].passed += 1

    def is_owed(self) -> bool:
        """Whether the first in line has been passed too often, so that others must stand back."""
        if not self.turns:
            return False
        first = self.turns[0]
        return first.passed >= MOST_PASSES and not first.is_served
