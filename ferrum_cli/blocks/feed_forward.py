"""A feed-forward network, gated (SwiGLU, GeGLU) or plain. It keeps no state.

It knows nothing about activations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Split, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForward(Block):
    """Sizes of one feed-forward network."""

    kind: ClassVar[str] = "feed_forward"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/llama/modeling_llama.py, nemotron_h/modeling_nemotron_h.py;"
        " arXiv 2002.05202"
    )

    intermediate_size: Size
    gated: bool = True
    """Two projections up, one of which gates the other; otherwise one."""
    bias: bool = False

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """3·H·I gated or 2·H·I plain; biases I for each projection up, and H."""
        inner = Axis(self.intermediate_size, split=Split.COLUMNS)
        ups = 2 if self.gated else 1
        projections = (
            Weight("up_proj", ups * hidden_size, inner),
            Weight("down_proj", hidden_size, inner),
        )
        if not self.bias:
            return projections
        return (*projections, Weight("up_bias", ups, inner), whole("down_bias", hidden_size))


BLOCK = FeedForward
