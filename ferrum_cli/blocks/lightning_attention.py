"""Lightning attention: linear attention with a fixed decay for each head, and no convolution.

MiniMax, Ling 2.5, Ring-linear and MiniCPM-SALA use it. It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class LightningAttention(Block):
    """Sizes of one lightning attention; the decays are no parameters."""

    kind: ClassVar[str] = "lightning_attention"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/minimax/modeling_minimax.py; vLLM 0.32.0"
        " model_executor/layers/mamba/linear/bailing_linear_attn.py; arXiv 2401.04658"
    )

    num_heads: Size
    head_dim: Size
    output_gate: bool = True
    output_norm: bool = True
    """A norm over the channels of all heads before the projection out."""
    qk_norm: bool = False
    """Norms on queries and keys, one weight for each channel of a head (Ling, MiniCPM-SALA)."""
    qkv_bias: bool = False
    output_bias: bool = False

    @property
    def _inner(self) -> Axis:
        return Axis(self.num_heads, self.head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One square matrix for each head."""
        heads = Axis(self.num_heads)
        return (Matrix("attention_state", heads, self.head_dim, self.head_dim),)

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """3·H·P + P·H, with the gate H·P and the norm P; P = n·d."""
        found = [
            Weight("qkv_proj", 3 * hidden_size, self._inner),
            Weight("o_proj", hidden_size, self._inner),
        ]
        if self.output_gate:
            found.append(Weight("gate_proj", hidden_size, self._inner))
        if self.output_norm:
            found.append(Weight("o_norm", 1, self._inner))
        if self.qk_norm:
            found.append(whole("qk_norms", 2, self.head_dim))
        if self.qkv_bias:
            found.append(Weight("qkv_bias", 3, self._inner))
        if self.output_bias:
            found.append(whole("o_bias", hidden_size))
        return tuple(found)

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decay, update and read-out: five operations for each element."""
        return 5 * self._inner.size * self.head_dim


BLOCK = LightningAttention
