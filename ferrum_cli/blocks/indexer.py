"""The indexer of a sparse attention: small keys by which a query chooses the tokens to read.

It stands beside the attention, behind the same norm (DeepSeek-V3.2, GLM-5-Next, Qwen4Exp). It knows
nothing about the attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks import _parts
from ferrum_cli.blocks._block import Block, Count, Size
from ferrum_cli.blocks._parts import Cache, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer(Block):
    """Sizes of one indexer; every rank holds it whole."""

    kind: ClassVar[str] = "indexer"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/deepseek_v32/modeling_deepseek_v32.py,"
        " glm5_next/modeling_glm5_next.py, qwen4_exp/modeling_qwen4_exp.py"
    )

    num_heads: Size
    head_dim: Size
    num_kv_heads: Size = 1
    q_lora_rank: Size | None = None
    """Rank of the latent that queries are projected from; None takes the layer's input (Qwen)."""
    head_weights: bool = False
    """A projection that weighs the heads for each token (DeepSeek)."""
    pool_size: Size | None = None
    """Tokens that one compressed key stands for, with weights of its own (GLM's index_kpool)."""
    positions: Count = 0
    """int64 positions that are kept for every token (Qwen4Exp: 3)."""

    def cache(self, hidden_size: int) -> tuple[Cache, ...]:
        """One key for every token; a pooled one needs its gate and one number more, 2·d + 1."""
        pooled = self.head_dim + 1 if self.pool_size else 0
        return (_parts.Indexer(self.num_kv_heads * self.head_dim + pooled, self.positions),)

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """X·n·d + H·kv·d + 2·d, head weights H·n, pooling pool·d + d·H; X is q_lora_rank or H."""
        queries = self.num_heads * self.head_dim
        found = [
            whole("q_proj", self.q_lora_rank or hidden_size, queries),
            whole("k_proj", hidden_size, self.num_kv_heads * self.head_dim),
            # A norm with bias on keys (DeepSeek), or one each on queries and keys (Qwen).
            whole("norms", 2, self.head_dim),
        ]
        if self.head_weights:
            found.append(whole("head_weights", hidden_size, self.num_heads))
        if self.pool_size:
            found.append(whole("pooling", self.pool_size + hidden_size, self.head_dim))
        return tuple(found)

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Scores: 2·heads·head_dim for every token, or for every pool of them."""
        return 2 * self.num_heads * self.head_dim * -(-context // (self.pool_size or 1))


BLOCK = Indexer
