"""A gated short convolution that is a mixer by itself (LFM2). Its window is all of its state.

It knows nothing about layouts: whether an engine keeps K or K − 1 rows, and which axis comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Part, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortConv(Block):
    """Sizes of one short convolution."""

    kind: ClassVar[str] = "short_conv"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/lfm2/modeling_lfm2.py; vLLM 0.32.0 models/lfm2.py (conv_dim)"
    )

    conv_kernel: Size
    conv_dim: Size | None = None
    """Channels of the convolution; hidden_size where not given."""
    bias: bool = False
    """Biases on the projections and the convolution."""

    def _channels(self, hidden_size: int) -> Axis:
        return Axis(self.conv_dim or hidden_size)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """One window over the channels."""
        return (Window("conv_state", (self._channels(hidden_size),), self.conv_kernel),)

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """3·H·C + C·K + C·H with C channels; biases 3·C, C and H."""
        channels = self._channels(hidden_size)
        found = (
            Weight("in_proj", 3 * hidden_size, channels),
            Weight("conv", self.conv_kernel, channels),
            Weight("out_proj", hidden_size, channels),
        )
        if not self.bias:
            return found
        return (*found, Weight("in_conv_bias", 4, channels), whole("out_bias", hidden_size))

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """The two gates: one product each for every channel."""
        return 2 * self._channels(hidden_size).size


BLOCK = ShortConv
