"""What every kind of block answers: state, cache, weights and floating-point operations.

A kind is one file of this folder with one frozen dataclass, whose fields are the keys of a
description, and a constant `BLOCK` that names it. Formulas are the block's; how an engine lays the
parts out is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ferrum_cli.blocks._parts import Cache, Part, Weight

LARGEST_SIZE = 2**31
"""The largest size a description may give; the contract itself goes to 2⁶⁴ − 1."""


class Bounds:
    """The lowest and highest value of a field, for whoever validates text from outside.

    pydantic reads it through its own protocol, so nothing here imports pydantic, or
    annotated-types, which alone would be a tenth of the start-up.
    """

    __slots__ = ("highest", "lowest")

    def __init__(self, lowest: int, highest: int) -> None:
        self.lowest = lowest
        self.highest = highest

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """The schema of the annotated type, bounded."""
        return {**handler(source), "ge": self.lowest, "le": self.highest}


Size = Annotated[int, Bounds(1, LARGEST_SIZE)]
"""A dimension: at least one."""

Count = Annotated[int, Bounds(0, LARGEST_SIZE)]
"""A number that may be zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One part of a layer: a mixer that keeps state, an attention, a feed-forward.

    `shared` counts the weights once, however often the block stands in the model (Zamba2); state
    and cache are kept for every place.
    """

    kind: ClassVar[str]
    source: ClassVar[str]
    """Where the formulas were read: engine, version and file, or a paper."""

    shared: bool = False

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """The recurrent state of one sequence in one layer."""
        return ()

    def cache(self, hidden_size: int) -> tuple[Cache, ...]:
        """What one layer keeps for every token."""
        return ()

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """The weights, without the norm before the block."""
        raise NotImplementedError

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Operations for one token at `context` that no weight explains: scores, state updates."""
        return 0

    def flops_per_token(self, hidden_size: int, context: int) -> int:
        """All operations for one token: two for each active weight, and the mixing."""
        active = sum(weight.active_elements for weight in self.weights(hidden_size))
        return 2 * active + self.mixing_flops(hidden_size, context)

    def check(self, hidden_size: int) -> str | None:
        """What makes these sizes impossible together, or None."""
        return None
