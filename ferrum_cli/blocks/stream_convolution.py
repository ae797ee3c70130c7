"""Inkling's short convolutions: on keys, on values, and on the outputs of both halves of a layer.

The attention beside them is a block of its own. It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Part, Split, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamConvolution(Block):
    """Sizes of the four convolutions of one layer; the first two are as wide as keys and values."""

    kind: ClassVar[str] = "stream_convolution"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/inkling/modeling_inkling.py, inkling2/modeling_inkling2.py"
    )

    num_kv_heads: Size
    head_dim: Size
    conv_kernel: Size
    dynamic: bool = False
    """Each token adds to the filters of keys and values (full attention of Inkling 2)."""

    @property
    def _keys(self) -> Axis:
        return Axis(self.num_kv_heads, self.head_dim, Split.KV_HEADS)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """Four windows, in the order of transformers' conv_state_0 to conv_state_3."""
        hidden = Axis(hidden_size, split=Split.REPLICATED)
        streams = {
            "key_conv_state": self._keys,
            "value_conv_state": self._keys,
            "attention_conv_state": hidden,
            "feed_forward_conv_state": hidden,
        }
        return tuple(Window(name, (axis,), self.conv_kernel) for name, axis in streams.items())

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """2·kv_heads·d·K + 2·H·K; dynamic filters add 2·H·kv_heads·K."""
        found = (
            Weight("key_value_conv", 2 * self.conv_kernel, self._keys),
            whole("output_conv", 2 * self.conv_kernel, hidden_size),
        )
        if not self.dynamic:
            return found
        heads = Axis(self.num_kv_heads, split=Split.KV_HEADS)
        return (*found, Weight("filter_proj", 2 * hidden_size * self.conv_kernel, heads))


BLOCK = StreamConvolution
