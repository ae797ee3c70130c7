"""Compressed convolutional attention (CCA): an attention behind two short convolutions (ZAYA).

It keeps a window of queries and keys, half of the last value, and keys and values of every token.
It knows nothing about layouts or dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import (
    Axis,
    Cache,
    KeyValue,
    Part,
    Role,
    Vector,
    Weight,
    Window,
    whole,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressedConvolutionalAttention(Block):
    """Sizes of one CCA."""

    kind: ClassVar[str] = "compressed_convolutional_attention"
    source: ClassVar[str] = "transformers 5.24.0 models/zaya/modeling_zaya.py; arXiv 2510.04476"

    num_heads: Size
    num_kv_heads: Size
    head_dim: Size
    depthwise_kernel: Size
    """Kernel of the first convolution, one filter for each channel (cca_time0)."""
    grouped_kernel: Size
    """Kernel of the second convolution, one matrix for each head (cca_time1)."""
    window: Size | None = None
    """Sliding window: the last tokens that are kept."""
    bias: bool = False
    """Biases on all projections; the convolutions always have theirs."""

    @property
    def _queries(self) -> Axis:
        return Axis(self.num_heads, self.head_dim)

    @property
    def _keys(self) -> Axis:
        return Axis(self.num_kv_heads, self.head_dim)

    @property
    def _late_values(self) -> Axis:
        """Half of all value channels: half of every head, or every second head of an odd width."""
        if self.head_dim % 2:
            return Axis(self.num_kv_heads // 2, self.head_dim)
        return Axis(self.num_kv_heads, self.head_dim // 2)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window that reaches through both convolutions, and the delayed half of a value."""
        kernel = self.depthwise_kernel + self.grouped_kernel - 1
        return (
            Window("conv_state", (self._queries, self._keys), kernel),
            Vector("value_state", self._late_values, role=Role.SHIFT),
        )

    def cache(self, hidden_size: int) -> tuple[Cache, ...]:
        """2·kv_heads·head_dim elements for every token."""
        return (KeyValue(self.num_kv_heads, self.head_dim, self.head_dim, self.window),)

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """H·(q + 2·k) + q·H + C·(t0 + 1) + C·(d·t1 + 1) + kv_heads, with C = q + k channels."""
        taps = self.depthwise_kernel + 1 + self.head_dim * self.grouped_kernel + 1
        found = (
            Weight("q_proj", hidden_size, self._queries),
            Weight("kv_proj", 2 * hidden_size, self._keys),
            Weight("conv_q", taps, self._queries),
            Weight("conv_k", taps, self._keys),
            Weight("key_scale", 1, Axis(self.num_kv_heads)),
            Weight("o_proj", hidden_size, self._queries),
        )
        if not self.bias:
            return found
        biases = (Weight("q_bias", 1, self._queries), Weight("kv_bias", 2, self._keys))
        return (*found, *biases, whole("o_bias", hidden_size))

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Scores and weighted values: 4·heads·head_dim for every token that is read."""
        return 4 * self._queries.size * min(context, self.window or context)

    def check(self, hidden_size: int) -> str | None:
        """Query heads share key-value heads evenly, and all values together have two halves."""
        if self.num_heads % self.num_kv_heads:
            return f"num_heads {self.num_heads} is no multiple of num_kv_heads {self.num_kv_heads}"
        if self._keys.size % 2:
            return (
                f"head_dim {self.head_dim} x num_kv_heads {self.num_kv_heads} is odd:"
                " half of all values come one token late"
            )
        return None


BLOCK = CompressedConvolutionalAttention
