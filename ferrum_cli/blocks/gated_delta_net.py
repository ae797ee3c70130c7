"""Gated DeltaNet: linear attention with a delta rule (Qwen3-Next, Qwen3.5, OLMo-Hybrid).

It knows nothing about layouts: whether an engine keeps K or K − 1 rows, and which axis comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Split, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedDeltaNet(Block):
    """Sizes of one Gated DeltaNet mixer; the state follows the value heads."""

    kind: ClassVar[str] = "gated_delta_net"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/qwen3_next/modeling_qwen3_next.py; arXiv 2412.06464"
    )

    num_key_heads: Size
    num_value_heads: Size
    key_head_dim: Size
    value_head_dim: Size
    conv_kernel: Size

    @property
    def _keys(self) -> Axis:
        return Axis(self.num_key_heads, self.key_head_dim, Split.GROUPS)

    @property
    def _values(self) -> Axis:
        return Axis(self.num_value_heads, self.value_head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window over query, key and value, and one matrix for each value head."""
        conv = Window("conv_state", (self._keys, self._keys, self._values), self.conv_kernel)
        heads = Axis(self.num_value_heads)
        return (conv, Matrix("delta_state", heads, self.value_head_dim, self.key_head_dim))

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """H·(2·kd + 2·vd + 2·nv) + (2·kd + vd)·K + 2·nv + dv + vd·H."""
        heads = Axis(self.num_value_heads)
        return (
            Weight("in_proj_qk", 2 * hidden_size, self._keys),
            Weight("in_proj_vz", 2 * hidden_size, self._values),
            Weight("in_proj_ba", 2 * hidden_size, heads),
            Weight("conv1d_qk", 2 * self.conv_kernel, self._keys),
            Weight("conv1d_v", self.conv_kernel, self._values),
            Weight("a_log_dt_bias", 2, heads),
            whole("norm", self.value_head_dim),
            Weight("out_proj", hidden_size, self._values),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decay, delta correction, update and read-out of the matrix."""
        return 8 * self.num_value_heads * self.value_head_dim * self.key_head_dim

    def check(self, hidden_size: int) -> str | None:
        """Value heads share key heads evenly."""
        if self.num_value_heads % self.num_key_heads:
            return (
                f"num_value_heads {self.num_value_heads} is no multiple of"
                f" num_key_heads {self.num_key_heads}"
            )
        return None


BLOCK = GatedDeltaNet
