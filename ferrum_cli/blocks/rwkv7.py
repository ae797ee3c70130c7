"""RWKV-7's time mixing: a matrix for each head under a generalised delta rule.

The channel mixing beside it is a block of its own. It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Role, Split, Vector, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Rwkv7(Block):
    """Sizes of one time mixing; it has `hidden_size / head_dim` heads."""

    kind: ClassVar[str] = "rwkv7"
    source: ClassVar[str] = (
        "flash-linear-attention 0.5.2 fla/layers/rwkv7.py; arXiv 2503.14456, appendix on parameters"
    )

    head_dim: Size
    decay_low_rank_dim: Size
    a_low_rank_dim: Size
    """Rank of the in-context learning rate's projection."""
    v_low_rank_dim: Size | None = None
    """Rank of the value residual's projection; the first layer has none."""
    gate_low_rank_dim: Size | None = None
    """Rank of the output gate's projection; None is no gate."""

    def _inner(self, hidden_size: int) -> Axis:
        return Axis(hidden_size // self.head_dim, self.head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """The last input, and one square matrix for each head."""
        shift = Axis(hidden_size, split=Split.REPLICATED)
        heads = Axis(hidden_size // self.head_dim)
        return (
            Vector("att_shift", shift, role=Role.SHIFT),
            Matrix("wkv_state", heads, self.head_dim, self.head_dim),
        )

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """4·H² + 14·H + 2·H·(w + a + v + g) with v; no gate or no v takes its share away."""
        inner = self._inner(hidden_size)
        ranks = [self.decay_low_rank_dim, self.a_low_rank_dim]
        ranks += [self.v_low_rank_dim] if self.v_low_rank_dim else []
        gate = self.gate_low_rank_dim or 0
        return (
            whole("mix", 6 if gate else 5, hidden_size),
            Weight("k_k_k_a_r_k", 3, inner),
            Weight("receptance_key_value", 3 * hidden_size, inner),
            whole("low_rank_down", hidden_size, sum(ranks) + gate),
            Weight("low_rank_up", sum(ranks) + gate, inner),
            Weight("low_rank_bias", len(ranks), inner),
            Weight("group_norm", 2, inner),
            Weight("output", hidden_size, inner),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decay, removal, update and read-out: eight operations for each element."""
        return 8 * hidden_size * self.head_dim

    def check(self, hidden_size: int) -> str | None:
        """Heads fill the model's width."""
        if hidden_size % self.head_dim:
            return f"hidden_size {hidden_size} is no multiple of head_dim {self.head_dim}"
        return None


BLOCK = Rwkv7
