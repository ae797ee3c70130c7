"""Kimi Delta Attention (KDA): a delta rule whose decay differs from channel to channel.

Kimi-Linear, Kimi-K3, Ling 3 and GLM-5-Next use it. It knows nothing about layouts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class KimiDeltaAttention(Block):
    """Sizes of one KDA mixer; queries, keys and values have the same heads."""

    kind: ClassVar[str] = "kimi_delta_attention"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/kimi_linear/modeling_kimi_linear.py,"
        " bailing_hybrid/modeling_bailing_hybrid.py; arXiv 2510.26692"
    )

    num_heads: Size
    head_dim: Size
    conv_kernel: Size
    decay_rank: Size | None = None
    """Rank of the decay's projection (Kimi: head_dim); None is a full matrix (Ling 3)."""
    gate_rank: Size | None = None
    """Rank of the output gate's projection; None is a full matrix (Ling 3, Kimi-K3)."""

    @property
    def _inner(self) -> Axis:
        return Axis(self.num_heads, self.head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window over query, key and value, and one square matrix for each head."""
        conv = Window("conv_state", (self._inner,) * 3, self.conv_kernel)
        return (conv, Matrix("delta_state", Axis(self.num_heads), self.head_dim, self.head_dim))

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """3·H·P + 3·P·K + P + n + decay + gate + H·n + d + P·H with P = n·d."""
        heads = Axis(self.num_heads)
        return (
            Weight("qkv_proj", 3 * hidden_size, self._inner),
            Weight("conv1d", 3 * self.conv_kernel, self._inner),
            *self._projection("decay", hidden_size, self.decay_rank),
            Weight("dt_bias", 1, self._inner),
            Weight("a_log", 1, heads),
            Weight("b_proj", hidden_size, heads),
            *self._projection("gate", hidden_size, self.gate_rank),
            whole("o_norm", self.head_dim),
            Weight("o_proj", hidden_size, self._inner),
        )

    def _projection(self, name: str, hidden_size: int, rank: int | None) -> tuple[Weight, ...]:
        """H·P at full rank, else H·r + r·P."""
        if rank is None:
            return (Weight(f"{name}_proj", hidden_size, self._inner),)
        down = whole(f"{name}_a_proj", hidden_size, rank)
        return (down, Weight(f"{name}_b_proj", rank, self._inner))

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decay, delta correction, update and read-out: eight operations for each element."""
        return 8 * self._inner.size * self.head_dim


BLOCK = KimiDeltaAttention
