"""At which tokens a prefix may hit the cache, and what finer checkpoints cost.

v1/core/kv_cache_utils.py, resolve_kv_cache_block_sizes, and
layers/mamba/gdn/qwen_gdn_linear_attn.py, vLLM 0.33.0. It knows nothing about how often prefixes
repeat.
"""

from __future__ import annotations

import math

from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.groups import Grouping
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.pages import Page, StatePage
from ferrum_cli.engines.vllm.refusals import Refusal

_SCRATCH_ITEM_BYTES = 4


def block_sizes(grouping: Grouping, config: Configuration) -> tuple[int, ...]:
    """Tokens of one block in every group; a DCP rank's block spans those of all ranks."""
    return tuple(
        _block_size(group.page, config) for group in grouping.groups for _ in range(group.count)
    )


def hit_unit(grouping: Grouping, config: Configuration) -> int:
    """Tokens at whose multiples a prefix may hit: the blocks' own, or finer where asked."""
    asked: int | None = config.settings.value("prefix_match_unit")
    sizes = _cacheable(grouping, config)
    if asked is not None and config.mode == "align" and len(block_sizes(grouping, config)) > 1:
        return asked
    return math.lcm(*sizes)


def refused_unit(grouping: Grouping, config: Configuration) -> Refusal | None:
    """Why --prefix-match-unit is refused: it must divide every group's block."""
    asked: int | None = config.settings.value("prefix_match_unit")
    if asked is None or not config.prefix_caching.value:
        return None
    sizes = block_sizes(grouping, config)
    if len(sizes) == 1:
        return _refused_for_one_group(asked, sizes[0])
    cacheable = _cacheable(grouping, config)
    if config.mode == "none" or all(size % asked == 0 for size in cacheable):
        return None
    words = (
        f"Invalid prefix_match_unit={asked}; prefix-cacheable KV cache group block sizes must be"
        f" divisible by prefix_match_unit. Got group block sizes={list(sizes)},"
        f" prefix-cacheable={list(cacheable)}."
    )
    hint = f"use a divisor of {math.gcd(*cacheable)}"
    return Refusal("prefix-match-unit", words, hint)


def checkpoint_scratch_bytes(inventory: Inventory, config: Configuration, grid: int) -> int:
    """Bytes that a step's checkpoints take outside the pool, once for each process.

    ceil(max_num_batched_tokens / grid) × value heads on the rank × value dim × key dim × 4.
    """
    tokens: int = config.batching.max_num_batched_tokens.value
    blocks = [c.placed.block for c in inventory.state]
    mixer = next((b for b in blocks if isinstance(b, GatedDeltaNet)), None)
    if mixer is None or config.mode != "align" or config.gdn_prefill != "flashinfer":
        return 0
    matrix = mixer.num_value_heads // config.tp * mixer.value_head_dim * mixer.key_head_dim
    return -(-tokens // grid) * matrix * _SCRATCH_ITEM_BYTES


def _refused_for_one_group(asked: int, size: int) -> Refusal | None:
    if asked == size:
        return None
    words = (
        f"Invalid prefix_match_unit={asked}; with a single KV cache group, prefix-cache hits land"
        f" on the block size ({size}). Unset it or set it to {size}."
    )
    return Refusal("prefix-match-unit", words, "leave out --prefix-match-unit")


def _cacheable(grouping: Grouping, config: Configuration) -> tuple[int, ...]:
    """Blocks of the groups whose prefixes are cached; a ring's are not."""
    pages = [g.page for g in grouping.groups for _ in range(g.count)]
    cached = [p for p in pages if isinstance(p, StatePage) or p.kind != "circular_buffer"]
    return tuple(_block_size(page, config) for page in cached or pages)


def _block_size(page: Page, config: Configuration) -> int:
    if isinstance(page, StatePage):
        return page.mamba_block_size
    return page.block_size * (1 if page.kind == "circular_buffer" else config.dcp)
