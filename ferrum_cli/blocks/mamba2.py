"""Mamba-2: a state-space mixer with one decay for each head (Codestral, Nemotron-H, Granite 4).

It knows nothing about layouts: whether an engine keeps K or K − 1 rows, and which axis comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Split, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba2(Block):
    """Sizes of one Mamba-2 mixer; its inner width is `num_heads × head_dim`."""

    kind: ClassVar[str] = "mamba2"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/mamba2/modeling_mamba2.py,"
        " falcon_h1/modeling_falcon_h1.py; arXiv 2405.21060"
    )

    num_heads: Size
    head_dim: Size
    num_groups: Size
    state_size: Size
    conv_kernel: Size
    conv_bias: bool = True
    in_bias: bool = False
    """A bias on the projection in."""
    out_bias: bool = False
    """A bias on the projection out."""
    gated_norm: bool = True
    """A norm of the inner width before the projection out; Falcon-H1 mostly goes without."""

    @property
    def _inner(self) -> Axis:
        return Axis(self.num_heads, self.head_dim)

    @property
    def _groups(self) -> Axis:
        return Axis(self.num_groups, self.state_size, Split.GROUPS)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window over x, B and C, and one matrix of `head_dim × state_size` for each head."""
        conv = Window("conv_state", (self._inner, self._groups, self._groups), self.conv_kernel)
        return (conv, Matrix("ssm_state", Axis(self.num_heads), self.head_dim, self.state_size))

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """H·(2I + 2GN + n) + (I + 2GN)·(K + 1) + 3n + I + I·H."""
        heads = Axis(self.num_heads)
        taps = self.conv_kernel + self.conv_bias
        found = [
            Weight("in_proj_zx", 2 * hidden_size, self._inner),
            Weight("in_proj_bc", 2 * hidden_size, self._groups),
            Weight("in_proj_dt", hidden_size, heads),
            Weight("conv1d_x", taps, self._inner),
            Weight("conv1d_bc", 2 * taps, self._groups),
            Weight("a_log_d_dt_bias", 3, heads),
            Weight("out_proj", hidden_size, self._inner),
        ]
        if self.gated_norm:
            found.append(Weight("norm", 1, self._inner))
        if self.in_bias:
            found.append(Weight("in_bias_zx", 2, self._inner))
            found.append(Weight("in_bias_bc", 2, self._groups))
            found.append(Weight("in_bias_dt", 1, heads))
        if self.out_bias:
            found.append(whole("out_bias", hidden_size))
        return tuple(found)

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decay, update and read-out of the state: six operations for each element."""
        return 6 * self._inner.size * self.state_size

    def check(self, hidden_size: int) -> str | None:
        """Heads share groups evenly."""
        if self.num_heads % self.num_groups:
            return f"num_heads {self.num_heads} is no multiple of num_groups {self.num_groups}"
        return None


BLOCK = Mamba2
