"""Qwen4Exp's per-layer embeddings of n-grams (PLE): a table, a dilated convolution, token ids.

It knows nothing about layouts, dtypes or how the rows of the table are hashed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Context, Part, Split, Weight, Window, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramContext(Block):
    """Sizes of the n-gram features of one layer, added to each of its residual streams."""

    kind: ClassVar[str] = "ngram_context"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/qwen4_exp/modeling_qwen4_exp.py; vLLM 0.32.0 short_conv (PLE)"
    )

    ngram_size: Size
    """The longest n-gram; the last ngram_size - 1 token ids are kept."""
    heads_per_ngram: Size
    head_dim: Size
    """Width of one head's embedding: ple_embed_dim / ((ngram_size - 1) x heads_per_ngram)."""
    ngram_vocab_size: Size
    """Rows of the table, over all heads and padded."""
    conv_kernel: Size
    """Taps of the convolution, ngram_size tokens apart (ple_conv_kernel_size)."""
    hc_count: Size
    """Residual streams, each of hidden_size."""

    @property
    def _heads(self) -> int:
        return (self.ngram_size - 1) * self.heads_per_ngram

    def _streams(self, hidden_size: int) -> Axis:
        return Axis(self.hc_count, hidden_size, Split.REPLICATED)

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """A window of (K - 1)·ngram_size inputs of all streams, and the last token ids."""
        reach = (self.conv_kernel - 1) * self.ngram_size + 1
        window = Window("ple_conv_state", (self._streams(hidden_size),), reach)
        return (window, Context("ngram_context", self.ngram_size - 1))

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """rows·d + E·H·streams + E·H + 3·H·streams + H·streams·K, with E = heads·d."""
        width = Axis(self.head_dim, split=Split.COLUMNS)
        table = Weight(
            "ngram_embedding", 1, width, copies=self.ngram_vocab_size, active_copies=self._heads
        )
        streams = self._streams(hidden_size)
        embedding = self._heads * self.head_dim
        return (
            table,
            Weight("key_proj", embedding, streams),
            whole("value_proj", embedding, hidden_size),
            Weight("norms", 3, streams),
            Weight("conv1d", self.conv_kernel, streams),
        )

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """One dot product of key and stream, and the gating: four for each channel."""
        return 4 * self._streams(hidden_size).size

    def check(self, hidden_size: int) -> str | None:
        """There is an n-gram longer than a token, and a row for each of its heads."""
        if self.ngram_size == 1:
            return "ngram_size 1 leaves no n-gram"
        if self.ngram_vocab_size < self._heads:
            return f"ngram_vocab_size {self.ngram_vocab_size} is less than {self._heads} heads"
        return None


BLOCK = NgramContext
