"""RWKV's channel mixing: a feed-forward network that also sees the last token.

It knows nothing about the time mixing before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Part, Role, Split, Vector, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class RwkvChannelMix(Block):
    """Sizes of one channel mixing, of RWKV-4 to RWKV-7."""

    kind: ClassVar[str] = "rwkv_channel_mix"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/rwkv/modeling_rwkv.py; flash-linear-attention 0.5.2"
        " fla/models/rwkv6/modeling_rwkv6.py, rwkv7/modeling_rwkv7.py"
    )

    intermediate_size: Size
    receptance: bool = True
    """A square projection that gates the output; RWKV-7 has none."""

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """The last input."""
        shift = Axis(hidden_size, split=Split.REPLICATED)
        return (Vector("ffn_shift", shift, role=Role.SHIFT),)

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """2·H·I, and a mix of H for the key; the receptance adds another and H²."""
        inner = Axis(self.intermediate_size, split=Split.COLUMNS)
        found = (
            whole("mix", 2 if self.receptance else 1, hidden_size),
            Weight("key_value", 2 * hidden_size, inner),
        )
        if not self.receptance:
            return found
        columns = Axis(hidden_size, split=Split.COLUMNS)
        return (*found, Weight("receptance", hidden_size, columns))


BLOCK = RwkvChannelMix
