"""Griffin's recurrent block: a short convolution and a real-gated linear recurrent unit (RG-LRU).

RecurrentGemma uses it. It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Part, Vector, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class RgLru(Block):
    """Sizes of one recurrent block; heads are the diagonal blocks of its gates, W = n·d wide."""

    kind: ClassVar[str] = "rg_lru"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/recurrent_gemma/modeling_recurrent_gemma.py; arXiv 2402.19427"
    )

    num_heads: Size
    head_dim: Size
    """lru_width / num_heads."""
    conv_kernel: Size

    @property
    def _inner(self) -> Axis:
        return Axis(self.num_heads, self.head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window over the width, and one vector of it."""
        conv = Window("conv_state", (self._inner,), self.conv_kernel)
        return (conv, Vector("recurrent_state", self._inner))

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """2·(H·W + W) + W·H + H + W·K + W + W + 2·(W·d + W)."""
        return (
            Weight("linear_xy", 2 * (hidden_size + 1), self._inner),
            Weight("conv_1d", self.conv_kernel + 1, self._inner),
            Weight("recurrent_param", 1, self._inner),
            Weight("gates", 2 * (self.head_dim + 1), self._inner),
            Weight("linear_out", hidden_size, self._inner),
            whole("linear_out_bias", hidden_size),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decay, its complement, update and the gating: ten operations for each channel."""
        return 10 * self._inner.size


BLOCK = RgLru
