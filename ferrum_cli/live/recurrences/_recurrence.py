"""What every recurrence does: advance the states in slots, and say whether they are right.

It knows nothing about how.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ferrum_cli.live.layout import Storage


@dataclass(frozen=True, slots=True)
class BlockState:
    """One block in one layer: its kind, and which of the spec's tensors it keeps by which name."""

    layer_index: int
    kind: str
    tensors: Mapping[str, int]


class Recurrence(ABC):
    """State of a request as a function of its token ids, from zero.

    A request's slots are sequences of their own: the same tokens leave different states in them.
    """

    @abstractmethod
    def advance(
        self, storage: Storage, slots: Sequence[int], tokens: Sequence[int], start: int
    ) -> None:
        """Feed tokens, the first at position `start`, to the states in a request's slots."""

    @abstractmethod
    def mismatch(self, storage: Storage, slots: Sequence[int], tokens: Sequence[int]) -> str | None:
        """Where a request's states are not what these tokens give from zero; None if nowhere."""
