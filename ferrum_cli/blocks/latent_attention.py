"""Latent attention (MLA): keys and values of all heads compressed into one row for each token.

An indexer beside it is a block of its own. It knows nothing about kernels or the cache's dtype.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Count, Size
from ferrum_cli.blocks._parts import Axis, Cache, Latent, Split, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentAttention(Block):
    """Sizes of one latent attention; the cache holds `kv_lora_rank + qk_rope_head_dim`."""

    kind: ClassVar[str] = "latent_attention"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/deepseek_v3/modeling_deepseek_v3.py,"
        " kimi_linear/modeling_kimi_linear.py, bailing_hybrid/modeling_bailing_hybrid.py;"
        " arXiv 2405.04434"
    )

    num_heads: Size
    kv_lora_rank: Size
    q_lora_rank: Size | None = None
    """Rank through which queries are projected; None projects them directly."""
    qk_nope_head_dim: Size
    qk_rope_head_dim: Count
    v_head_dim: Size
    topk: Size | None = None
    """Tokens that a sparse attention reads at most; all of them stay in the cache."""
    output_gate: bool = False
    """A sigmoid gate on the output, projected from the input (Kimi-K3)."""
    gate_per_head: bool = False
    """The gate has one value for each head instead of one for each channel (Ling 3)."""
    bias: bool = False
    """Biases on the two projections down and on the output (`attention_bias`)."""

    @property
    def _queries(self) -> Axis:
        width = self.qk_nope_head_dim + self.qk_rope_head_dim
        return Axis(self.num_heads, width, Split.QUERY_HEADS)

    @property
    def _outputs(self) -> Axis:
        return Axis(self.num_heads, self.v_head_dim, Split.QUERY_HEADS)

    def cache(self, hidden_size: int) -> tuple[Cache, ...]:
        """One row of `kv_lora_rank + qk_rope_head_dim` for every token."""
        return (Latent(self.kv_lora_rank, self.qk_rope_head_dim),)

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """Queries, then H·(rank + rope) + rank + rank·heads·(nope + v) + heads·v·H."""
        expanded = Axis(self.num_heads, self.qk_nope_head_dim + self.v_head_dim, Split.QUERY_HEADS)
        return (
            *self._query_weights(hidden_size),
            whole("kv_a_proj", hidden_size, self.kv_lora_rank + self.qk_rope_head_dim),
            whole("kv_a_norm", self.kv_lora_rank),
            Weight("kv_b_proj", self.kv_lora_rank, expanded),
            Weight("o_proj", hidden_size, self._outputs),
            *self._gate(hidden_size),
            *self._biases(hidden_size),
        )

    def _query_weights(self, hidden_size: int) -> tuple[Weight, ...]:
        if self.q_lora_rank is None:
            return (Weight("q_proj", hidden_size, self._queries),)
        return (
            whole("q_a_proj", hidden_size, self.q_lora_rank),
            whole("q_a_norm", self.q_lora_rank),
            Weight("q_b_proj", self.q_lora_rank, self._queries),
        )

    def _gate(self, hidden_size: int) -> tuple[Weight, ...]:
        if not self.output_gate:
            return ()
        heads = Axis(self.num_heads, split=Split.QUERY_HEADS)
        return (Weight("gate_proj", hidden_size, heads if self.gate_per_head else self._outputs),)

    def _biases(self, hidden_size: int) -> tuple[Weight, ...]:
        if not self.bias:
            return ()
        down = self.kv_lora_rank + self.qk_rope_head_dim + (self.q_lora_rank or 0)
        return (whole("a_bias", down), whole("o_bias", hidden_size))

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Decoding over the latent itself: 2·heads·(2·rank + rope) for every token read."""
        tokens = min(context, self.topk or context)
        return 2 * self.num_heads * (2 * self.kv_lora_rank + self.qk_rope_head_dim) * tokens

    def check(self, hidden_size: int) -> str | None:
        """Options go with what they alter."""
        if self.gate_per_head and not self.output_gate:
            return "gate_per_head needs output_gate"
        return None


BLOCK = LatentAttention
