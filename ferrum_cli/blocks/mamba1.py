"""Mamba: a selective state-space mixer with a decay for each channel (Mamba, Jamba, Zamba).

It knows nothing about layouts: whether an engine keeps K or K − 1 rows, and which axis comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Vector, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba1(Block):
    """Sizes of one Mamba mixer; its inner width is `intermediate_size`."""

    kind: ClassVar[str] = "mamba1"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/mamba/modeling_mamba.py, jamba/modeling_jamba.py,"
        " zamba/modeling_zamba.py; arXiv 2312.00752"
    )

    intermediate_size: Size
    state_size: Size
    conv_kernel: Size
    time_step_rank: Size
    num_heads: Size | None = None
    """Heads that share the inner width, as Zamba has them; they shape the state, not its size."""
    conv_bias: bool = True
    bias: bool = False
    """Biases on the projections in and out."""
    inner_norms: bool = False
    """Weighted norms on time step, B and C (Jamba)."""

    @property
    def _inner(self) -> Axis:
        return Axis(self.intermediate_size)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window over the inner channels, and `state_size` elements for each of them."""
        conv = Window("conv_state", (self._inner,), self.conv_kernel)
        if self.num_heads is None:
            rows = Axis(self.intermediate_size, self.state_size)
            return (conv, Vector("ssm_state", rows, flat=False))
        width = self.intermediate_size // self.num_heads
        return (conv, Matrix("ssm_state", Axis(self.num_heads), width, self.state_size))

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """2·H·I + I·(K + 1) + I·(R + 2N) + R·I + I + I·N + I + I·H."""
        found = [
            Weight("in_proj", 2 * hidden_size, self._inner),
            Weight("conv1d", self.conv_kernel + self.conv_bias, self._inner),
            Weight("x_proj", self.time_step_rank + 2 * self.state_size, self._inner),
            Weight("dt_proj", self.time_step_rank + 1, self._inner),
            Weight("a_log_d", self.state_size + 1, self._inner),
            Weight("out_proj", hidden_size, self._inner),
        ]
        if self.bias:
            found.append(Weight("in_bias", 2, self._inner))
            found.append(whole("out_bias", hidden_size))
        if self.inner_norms:
            found.append(whole("dt_b_c_norms", self.time_step_rank + 2 * self.state_size))
        return tuple(found)

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Discretisation, decay, update and read-out: nine operations for each element."""
        return 9 * self.intermediate_size * self.state_size

    def check(self, hidden_size: int) -> str | None:
        """Heads share the inner width evenly."""
        if self.num_heads and self.intermediate_size % self.num_heads:
            return (
                f"intermediate_size {self.intermediate_size} is no multiple of"
                f" num_heads {self.num_heads}"
            )
        return None


BLOCK = Mamba1
