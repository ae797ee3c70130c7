"""Jet-Nemotron's JetBlock: a gated delta rule whose values pass a convolution made for each token.

It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Jet(Block):
    """Sizes of one JetBlock; only values are convolved, but SGLang reserves for keys too."""

    kind: ClassVar[str] = "jet"
    source: ClassVar[str] = (
        "Jet-Nemotron jetai/modeling/hf/jet_block.py, dynamic_conv.py; arXiv 2508.15884"
    )

    num_heads: Size
    head_dim: Size
    value_head_dim: Size
    """int(head_dim x expand_v)."""
    conv_kernel: Size
    generator_size: Size
    """Inner width of the filter generator: value channels // dconv_generator_reduction."""

    @property
    def _keys(self) -> Axis:
        return Axis(self.num_heads, self.head_dim)

    @property
    def _values(self) -> Axis:
        return Axis(self.num_heads, self.value_head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window over the values, and one matrix for each head."""
        conv = Window("conv_state", (self._values,), self.conv_kernel)
        heads = Axis(self.num_heads)
        return (conv, Matrix("delta_state", heads, self.value_head_dim, self.head_dim))

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """2·H·k + 2·H·v + 2·H·n + 2·n + generator H·g + g·v·K + v·K + d_v + v·H."""
        heads = Axis(self.num_heads)
        return (
            Weight("qk_proj", 2 * hidden_size, self._keys),
            Weight("vg_proj", 2 * hidden_size, self._values),
            Weight("ab_proj", 2 * hidden_size, heads),
            Weight("a_log_dt_bias", 2, heads),
            whole("generator_down", hidden_size, self.generator_size),
            Weight("generator_up", (self.generator_size + 1) * self.conv_kernel, self._values),
            whole("o_norm", self.value_head_dim),
            Weight("o_proj", hidden_size, self._values),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """The delta rule, eight operations for each element, and the generated convolution."""
        return 8 * self._keys.width * self._values.size + 2 * self.conv_kernel * self._values.size


BLOCK = Jet
