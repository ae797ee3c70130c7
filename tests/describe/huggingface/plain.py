"""Small sizes for several families, and what the tests of attention alone measure."""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks import Indexer, KeyValue
from ferrum_cli.expand import expand
from tests.describe.huggingface.measure import read, total

SMALL: dict[str, Any] = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
EXPERTS: dict[str, Any] = {"moe_intermediate_size": 32, "num_experts_per_tok": 2}
LATENT: dict[str, Any] = {
    "q_lora_rank": 24,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4,
    "v_head_dim": 8,
    "num_key_value_heads": 4,
}
DELTA: dict[str, Any] = {
    **{name: size for name, size in SMALL.items() if name != "intermediate_size"},
    "head_dim": 32,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
}
"""Qwen3.5 without its feed-forward."""
DELTA_EXPERTS = DELTA | EXPERTS | {"shared_expert_intermediate_size": 32, "num_experts": 4}
INDEX: dict[str, Any] = {"index_n_heads": 2, "index_head_dim": 8, "index_topk": 4}

_TOKENS = 6


def built(**fields: Any) -> tuple[int, int]:
    """Parameters, and the bytes that a DynamicCache of bfloat16 holds after six tokens.

    Of a window it keeps one token less than its length (transformers 5.24.0, cache_utils.py).
    """
    model = read(**fields)
    held = 0
    for layer in expand(model).cache_layers:
        for _, cache in layer.caches:
            limit = _TOKENS
            if isinstance(cache, KeyValue) and cache.window is not None:
                limit = min(limit, cache.window - 1)
            if isinstance(cache, Indexer):
                assert not cache.positions
            held += 2 * cache.elements_per_token * limit
    return total(model), held
