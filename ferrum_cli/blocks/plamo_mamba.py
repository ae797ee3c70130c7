"""PLaMo 2's mixer: Mamba-2's heads, with time step, B and C projected from the convolved input.

It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class PlamoMamba(Block):
    """Sizes of one mixer; its inner width is `num_heads x head_dim`."""

    kind: ClassVar[str] = "plamo_mamba"
    source: ClassVar[str] = (
        "vLLM 0.25.0 model_executor/models/plamo2.py (removed in 0.26.0);"
        " llama.cpp 0c1e57098 src/models/plamo2.cpp"
    )

    num_heads: Size
    head_dim: Size
    state_size: Size
    conv_kernel: Size
    time_step_rank: Size
    """max(64, hidden_size / 16)."""

    @property
    def _inner(self) -> Axis:
        return Axis(self.num_heads, self.head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window over x alone, and one matrix for each head."""
        conv = Window("conv_state", (self._inner,), self.conv_kernel)
        return (conv, Matrix("ssm_state", Axis(self.num_heads), self.head_dim, self.state_size))

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """2·H·I + I·K + I·(R + 2·N) + R·n + 3·n + R + 2·N + I·H."""
        heads = Axis(self.num_heads)
        projected = self.time_step_rank + 2 * self.state_size
        return (
            Weight("in_proj", 2 * hidden_size, self._inner),
            Weight("conv1d", self.conv_kernel, self._inner),
            Weight("bcdt_proj", projected, self._inner),
            Weight("dt_proj", self.time_step_rank, heads),
            Weight("a_log_d_dt_bias", 3, heads),
            whole("dt_b_c_norms", projected),
            Weight("out_proj", hidden_size, self._inner),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decay, update and read-out of the state: six operations for each element."""
        return 6 * self._inner.size * self.state_size


BLOCK = PlamoMamba
