"""Latent attention (MLA) as DeepSeek and its heirs spell it, and the indexer of its sparse form.

Field names are those of transformers 5.24.0, models/deepseek_v3/configuration_deepseek_v3.py and
models/deepseek_v32/configuration_deepseek_v32.py. It knows nothing about a particular family.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.blocks.latent_attention import LatentAttention
from ferrum_cli.describe.description import Draft
from ferrum_cli.describe.huggingface._common import layer, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

_INDEXERS = {"full": "full", "shared": "shared"}


def latent_attention(
    config: Fields,
    *,
    heads: int,
    q_lora_rank: int | None = None,
    kv_lora_rank: int = 512,
    nope: int = 128,
    rope: int = 64,
    value: int = 128,
    **options: Any,
) -> LatentAttention:
    """The sizes are class defaults; a null `q_lora_rank` projects queries directly."""
    return LatentAttention(
        num_heads=config.size("num_attention_heads", heads),
        kv_lora_rank=config.size("kv_lora_rank", kv_lora_rank),
        q_lora_rank=config.nullable_size("q_lora_rank", q_lora_rank),
        qk_nope_head_dim=config.size("qk_nope_head_dim", nope),
        qk_rope_head_dim=config.count("qk_rope_head_dim", rope),
        v_head_dim=config.size("v_head_dim", value),
        bias=config.flag("attention_bias", False),
        **options,
    )


def indexer(config: Fields, *, heads: int, q_lora_rank: int, **options: Any) -> Indexer:
    """The indexer of a sparse latent attention reads the latent of its queries."""
    return Indexer(
        num_heads=config.size("index_n_heads", heads),
        head_dim=config.size("index_head_dim", 128),
        q_lora_rank=config.size("q_lora_rank", q_lora_rank),
        head_weights=True,
        **options,
    )


def indexers(config: Fields, length: int) -> tuple[str, ...]:
    """`full` or `shared` for each layer; a shared one takes the choice of an earlier layer.

    `indexer_types`, a pattern of letters, or a schedule; by default every layer has its own.
    """
    frequency = max(config.count("index_topk_freq", 1), 1)
    offset = config.count("index_skip_topk_offset", 2)
    default = ["shared" if max(i - offset + 1, 0) % frequency else "full" for i in range(length)]
    pattern = config.raw("index_topk_pattern")
    if config.raw("indexer_types") is None and isinstance(pattern, str):
        if set(pattern) - {"F", "S"} or len(pattern) != length:
            config.fail("index_topk_pattern", f"expected a letter F or S for {length} layers")
        return tuple("full" if letter == "F" else "shared" for letter in pattern)
    name = "indexer_types" if config.raw("indexer_types") is not None else "index_topk_pattern"
    return layer_kinds(config, name, _INDEXERS, length, default)


def draft(count: int, *beside: str) -> Draft | None:
    """Draft layers of latent attention, with blocks `beside` it, and experts."""
    return Draft("mtp", (layer((("mla", *beside), "experts")),) * count) if count else None
