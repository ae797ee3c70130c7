"""RWKV-6's time mixing: a matrix for each head whose decay depends on the token.

The channel mixing beside it is a block of its own. It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Role, Split, Vector, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Rwkv6(Block):
    """Sizes of one time mixing."""

    kind: ClassVar[str] = "rwkv6"
    source: ClassVar[str] = (
        "flash-linear-attention 0.5.2 fla/layers/rwkv6.py; arXiv 2404.05892, appendix on parameters"
    )

    num_heads: Size
    head_dim: Size
    value_head_dim: Size | None = None
    """Width of a value where it differs from a key."""
    proj_low_rank_dim: Size = 32
    """Rank of each of the five interpolations with the last token."""
    gate_low_rank_dim: Size = 64
    """Rank of the decay's projection."""

    @property
    def _keys(self) -> Axis:
        return Axis(self.num_heads, self.head_dim)

    @property
    def _values(self) -> Axis:
        return Axis(self.num_heads, self.value_head_dim or self.head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """The last input, and one matrix for each head."""
        shift = Axis(hidden_size, split=Split.REPLICATED)
        heads = Axis(self.num_heads)
        return (
            Vector("att_shift", shift, role=Role.SHIFT),
            Matrix("wkv_state", heads, self._values.width, self.head_dim),
        )

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """6·H + 10·H·r, decay H·g + g·K + K, bonus K, 2·H·K + 2·H·V, norm 2·V, output V·H."""
        return (
            whole("lerp_mix", 6, hidden_size),
            whole("lerp_low_rank", 2, 5 * self.proj_low_rank_dim, hidden_size),
            whole("decay_down", hidden_size, self.gate_low_rank_dim),
            Weight("decay_up", self.gate_low_rank_dim + 1, self._keys),
            Weight("bonus", 1, self._keys),
            Weight("receptance_key", 2 * hidden_size, self._keys),
            Weight("value_gate", 2 * hidden_size, self._values),
            Weight("group_norm", 2, self._values),
            Weight("output", hidden_size, self._values),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Outer product, bonus, decay, update and read-out: seven for each element."""
        return 7 * self._keys.size * self._values.width


BLOCK = Rwkv6
