"""Attention over every past token or the last few: multi-head, grouped-query or multi-query.

It knows nothing about paging, kernels or the dtype of the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Size
from ferrum_cli.blocks._parts import Axis, Cache, KeyValue, Split, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention(Block):
    """Sizes of one attention. Every token adds one key and one value for each key-value head."""

    kind: ClassVar[str] = "attention"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/llama/modeling_llama.py, qwen3_next/modeling_qwen3_next.py,"
        " gpt_oss/modeling_gpt_oss.py, zamba2/modeling_zamba2.py; arXiv 2305.13245"
    )

    num_heads: Size
    num_kv_heads: Size
    head_dim: Size
    value_head_dim: Size | None = None
    """Width of a value where it differs from a key (MiMo-V2)."""
    window: Size | None = None
    """Sliding window: the last tokens that are kept."""
    chunk: Size | None = None
    """Chunked attention: at most one chunk of tokens is kept (Llama 4)."""
    topk: Size | None = None
    """Tokens that a sparse attention reads at most; all of them stay in the cache."""
    input_size: Size | None = None
    """Width of the input where it is not hidden_size (Zamba reads 2 × hidden_size)."""
    output_gate: bool = False
    """A sigmoid gate on the output, projected from the input (Qwen3-Next)."""
    gate_per_head: bool = False
    """The gate has one value for each head instead of one for each channel (LFM3)."""
    qk_norm: bool = False
    """Norms on queries and keys, one weight for each channel of a head."""
    qk_norm_full: bool = False
    """These norms weigh the channels of all heads instead of one head's (OLMo)."""
    qkv_bias: bool = False
    output_bias: bool = False
    sinks: bool = False
    """One learned logit for each head that takes attention from no token (gpt-oss)."""

    @property
    def _value_dim(self) -> int:
        return self.value_head_dim or self.head_dim

    @property
    def _queries(self) -> Axis:
        return Axis(self.num_heads, self.head_dim, Split.QUERY_HEADS)

    @property
    def _keys(self) -> Axis:
        return Axis(self.num_kv_heads, self.head_dim, Split.KV_HEADS)

    @property
    def _values(self) -> Axis:
        return Axis(self.num_kv_heads, self._value_dim, Split.KV_HEADS)

    @property
    def _outputs(self) -> Axis:
        return Axis(self.num_heads, self._value_dim, Split.QUERY_HEADS)

    @property
    def kept_tokens(self) -> int | None:
        """Tokens that stay in the cache, or None where it grows without limit."""
        return self.window or self.chunk

    def cache(self, hidden_size: int) -> tuple[Cache, ...]:
        """kv_heads·(key + value) elements for every token."""
        return (KeyValue(self.num_kv_heads, self.head_dim, self._value_dim, self.kept_tokens),)

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """X·(q + k + v) + o·H with X the input's width; then gate, norms, biases and sinks."""
        width = self.input_size or hidden_size
        return (
            Weight("q_proj", width, self._queries),
            Weight("k_proj", width, self._keys),
            Weight("v_proj", width, self._values),
            Weight("o_proj", hidden_size, self._outputs),
            *self._gate(width),
            *self._norms(width - hidden_size),
            *self._vectors(hidden_size),
        )

    def _gate(self, width: int) -> tuple[Weight, ...]:
        if not self.output_gate:
            return ()
        heads = Axis(self.num_heads, split=Split.QUERY_HEADS)
        return (Weight("gate_proj", width, heads if self.gate_per_head else self._outputs),)

    def _norms(self, wider: int) -> tuple[Weight, ...]:
        # The norm before the block counts hidden_size; a wider input needs the rest.
        found = [whole("input_norm", wider)] if wider > 0 else []
        if self.qk_norm and self.qk_norm_full:
            found += [Weight("q_norm", 1, self._queries), Weight("k_norm", 1, self._keys)]
        elif self.qk_norm:
            found += [whole("q_norm", self.head_dim), whole("k_norm", self.head_dim)]
        return tuple(found)

    def _vectors(self, hidden_size: int) -> tuple[Weight, ...]:
        found: list[Weight] = []
        if self.qkv_bias:
            axes = {"q_bias": self._queries, "k_bias": self._keys, "v_bias": self._values}
            found += [Weight(name, 1, axis) for name, axis in axes.items()]
        if self.output_bias:
            found.append(whole("o_bias", hidden_size))
        if self.sinks:
            found.append(Weight("sinks", 1, Axis(self.num_heads, split=Split.QUERY_HEADS)))
        return tuple(found)

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Scores and weighted values: 2·heads·(key + value) for every token that is read."""
        limits = (self.window, self.chunk, self.topk)
        tokens = min([context, *(limit for limit in limits if limit)])
        return 2 * self.num_heads * (self.head_dim + self._value_dim) * tokens

    def check(self, hidden_size: int) -> str | None:
        """Query heads share key-value heads evenly; options go with what they alter."""
        if self.num_heads % self.num_kv_heads:
            return f"num_heads {self.num_heads} is no multiple of num_kv_heads {self.num_kv_heads}"
        if self.window and self.chunk:
            return "an attention has a window or a chunk, not both"
        if self.gate_per_head and not self.output_gate:
            return "gate_per_head needs output_gate"
        if self.qk_norm_full and not self.qk_norm:
            return "qk_norm_full needs qk_norm"
        return None


BLOCK = Attention
