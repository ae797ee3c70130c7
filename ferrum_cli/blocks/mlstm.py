"""The matrix LSTM of xLSTM: a matrix, a normaliser and a stabiliser for each head.

It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Matrix, Part, Vector, Weight, whole

_ALIGNMENT = 64


def _aligned(size: int) -> int:
    """What the cache makes of a width: the next multiple of 64 (configuration_xlstm.py)."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT


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
        """C, n and m; the cache rounds the widths up to 64 before it divides them by heads."""
        heads = Axis(self.num_heads)
        key_dim = _aligned(self._keys.size) // self.num_heads
        value_dim = _aligned(self._values.size) // self.num_heads
        return (
            Matrix("c_state", heads, value_dim, key_dim),
            Vector("n_state", Axis(self.num_heads, key_dim), flat=False),
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


BLOCK = Mlstm
