"""The matrix LSTM of xLSTM: a matrix, a normaliser and a stabiliser for each head.

It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Vector, Weight, whole

_ALIGNMENT = 64
"""The cache rounds both widths up to this, and the layer does not (configuration_xlstm.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mlstm(Block):
    """Sizes of one mLSTM layer."""

    kind: ClassVar[str] = "mlstm"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/xlstm/modeling_xlstm.py, configuration_xlstm.py;"
        " arXiv 2503.13427"
    )

    num_heads: Size
    qk_head_dim: Size
    """int(hidden_size x qk_dim_factor) / num_heads."""
    v_head_dim: Size
    """int(hidden_size x v_dim_factor) / num_heads."""
    bias: bool = False
    """Biases on all projections and the norm; the two gates always have theirs."""

    @property
    def _keys(self) -> Axis:
        return Axis(self.num_heads, self.qk_head_dim)

    @property
    def _values(self) -> Axis:
        return Axis(self.num_heads, self.v_head_dim)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """C of v x qk, n of qk and m, one each for every head."""
        heads = Axis(self.num_heads)
        return (
            Matrix("c_state", heads, self.v_head_dim, self.qk_head_dim),
            Vector("n_state", self._keys, flat=False),
            Vector("m_state", heads, flat=False),
        )

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """2·H·qk + 2·H·v + 2·(H·n + n) + v + v·H; biases 2·qk + 3·v + H."""
        found = (
            Weight("qk_proj", 2 * hidden_size, self._keys),
            Weight("v_ogate_proj", 2 * hidden_size, self._values),
            Weight("igate_fgate", 2 * (hidden_size + 1), Axis(self.num_heads)),
            Weight("norm", 1, self._values),
            Weight("out_proj", hidden_size, self._values),
        )
        if not self.bias:
            return found
        return (
            *found,
            Weight("qk_bias", 2, self._keys),
            Weight("v_ogate_norm_bias", 3, self._values),
            whole("out_bias", hidden_size),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decay, update and read-out of the matrix, five for each element; the rest is small."""
        return 5 * self.qk_head_dim * self._values.size + 6 * self._keys.size

    def check(self, hidden_size: int) -> str | None:
        """Both widths survive the cache's rounding; others fail in the first forward pass."""
        for name, axis in (("qk_head_dim", self._keys), ("v_head_dim", self._values)):
            if axis.size % _ALIGNMENT:
                return f"num_heads x {name} is {axis.size}, which is no multiple of {_ALIGNMENT}"
        return None


BLOCK = Mlstm
