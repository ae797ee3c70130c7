"""RWKV-4's time mixing: a weighted average over the past for each channel.

The channel mixing beside it is a block of its own. It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block
from ferrum_cli.blocks._parts import Axis, Part, Role, Split, Vector, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Rwkv4(Block):
    """One time mixing; it is as wide as the model, which transformers cannot run otherwise."""

    kind: ClassVar[str] = "rwkv4"
    source: ClassVar[str] = "transformers 5.24.0 models/rwkv/modeling_rwkv.py; arXiv 2305.13048"

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """The last input, and numerator, denominator and maximum for each channel."""
        shift = Axis(hidden_size, split=Split.REPLICATED)
        channels = Axis(hidden_size)
        sums = (Vector(f"att_{name}", channels) for name in ("num", "den", "max"))
        return (Vector("att_shift", shift, role=Role.SHIFT), *sums)

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """Decay and bonus 2·H, three mixes 3·H, four matrices 4·H²."""
        channels = Axis(hidden_size)
        return (
            Weight("time_decay_first", 2, channels),
            whole("time_mix", 3, hidden_size),
            Weight("key_value_receptance", 3 * hidden_size, channels),
            Weight("output", hidden_size, channels),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Two stabilised exponentials over numerator and denominator: 20 for each channel."""
        return 20 * hidden_size


BLOCK = Rwkv4
