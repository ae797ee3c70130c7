"""Groups and memory → blocks: how many there are, how many a request needs, how many it holds.

v1/core/kv_cache_planning.py and v1/core/kv_cache_utils.py for what vLLM checks and prints;
v1/core/single_type_kv_cache_manager.py for what a request really holds, measured with vLLM's own
scheduler (0.32.0 and 0.33.0). It knows nothing about refusals or words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.groups import Grouping
from ferrum_cli.engines.vllm.pages import Page, StatePage


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool of blocks; `num_blocks` is None where memory is not known."""

    available_bytes: tuple[int, ...] | None
    """For the cache on each rank, before anything is taken off."""
    num_blocks: int | None
    max_model_len: int
    """As configured, or as fitted to memory."""


def needed(page: Page, config: Configuration, max_model_len: int) -> int:
    """Blocks of one group by which vLLM counts a request of max_model_len, for check and log."""
    if isinstance(page, StatePage):
        return _state_needed(page, config, max_model_len)
    match page.kind:
        case "full_attention" | "mla_attention":
            tokens = -(-max_model_len // config.dcp)
            return -(-tokens // page.block_size)
        case "sliding_window":
            tokens = min((page.window or 1) - 1 + in_flight_tokens(config), max_model_len)
            return -(-tokens // page.block_size) + 1
        case "chunked_local_attention":
            tokens = min((page.window or 0) + in_flight_tokens(config), max_model_len)
            return -(-tokens // page.block_size)
        case "circular_buffer":
            return 1


def _state_needed(page: StatePage, config: Configuration, max_model_len: int) -> int:
    rules, drafts = config.rules, config.speculative_blocks
    if rules.state_slots == "positions":
        mamba_block = page.mamba_block_size if config.mode == "all" else max_model_len
        return -(-max_model_len // mamba_block)
    if config.mode == "all":
        blocks = -(-max_model_len // page.mamba_block_size)
        return blocks + (drafts if rules.all_mode_counts_drafts else 0)
    return drafts + (2 + page.checkpoint_blocks if config.mode == "align" else 1)


def held(page: Page, config: Configuration, tokens: int) -> int:
    """Blocks of one group that a decoding request of `tokens` really holds."""
    if isinstance(page, StatePage):
        if config.mode == "all":
            return -(-tokens // page.mamba_block_size) + config.speculative_blocks
        return 1 + config.speculative_blocks
    on_rank = -(-tokens // config.dcp)
    full = -(-on_rank // page.block_size)
    match page.kind:
        case "full_attention" | "mla_attention":
            return full
        case "circular_buffer":
            return 1
        case "sliding_window" | "chunked_local_attention":
            # A window may begin anywhere in a block.
            return min(full, -(-(page.window or 1) // page.block_size) + 1)


def in_flight_tokens(config: Configuration) -> int:
    """Tokens scheduled but not settled: one step for each batch under way (config/vllm.py)."""
    asynchronous = config.settings.value("async_scheduling") is not False
    batches = config.parallel.pp + asynchronous if config.second_runner else config.parallel.pp
    if not config.second_runner and asynchronous and config.parallel.pp == 1:
        batches = 2
    tokens: int = config.batching.max_num_batched_tokens.value
    return batches * tokens


def request_blocks(grouping: Grouping, config: Configuration, max_model_len: int) -> int:
    """Blocks over all groups by which vLLM counts a request of max_model_len."""
    return sum(g.count * needed(g.page, config, max_model_len) for g in grouping.groups)


def held_blocks(grouping: Grouping, config: Configuration, tokens: int) -> int:
    """Blocks over all groups that a decoding request of `tokens` really holds."""
    return sum(g.count * held(g.page, config, tokens) for g in grouping.groups)


def fill(grouping: Grouping, config: Configuration, available: Sequence[int] | None) -> Pool:
    """Cut each rank's memory into blocks; the rank with fewest decides for all."""
    override = config.settings.value("num_gpu_blocks_override")
    if override is not None:
        memory = tuple(override * size for size in grouping.block_bytes)
        return Pool(memory, override, _length(grouping, config, memory))
    if available is None:
        return Pool(None, None, config.max_model_len)
    memory = tuple(available)
    blocks = min(
        (
            max(0, room) // size
            for room, size in zip(memory, grouping.block_bytes, strict=True)
            if size
        ),
        default=1,
    )
    return Pool(memory, blocks, _length(grouping, config, memory))


def checked_bytes(grouping: Grouping, config: Configuration, memory: Sequence[int]) -> list[int]:
    """What the start-up check counts on for each rank: the null block is never handed out."""
    reserved = config.rules.null_block_reserved
    return [
        room - size if reserved else room
        for room, size in zip(memory, grouping.block_bytes, strict=True)
    ]


def longest(grouping: Grouping, config: Configuration, room: int, rank: int) -> int:
    """The longest max_model_len, up to the one configured, whose request fits `room` on a rank."""
    size = grouping.block_bytes[rank]

    def fits(length: int) -> bool:
        return request_blocks(grouping, config, length) * size <= room

    if not fits(1):
        return 0
    low, high = 1, config.max_model_len
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _length(grouping: Grouping, config: Configuration, memory: Sequence[int]) -> int:
    """max_model_len, shrunk to what every rank holds where it is automatic."""
    if not config.auto_length:
        return config.max_model_len
    rooms = checked_bytes(grouping, config, memory)
    fitting = (longest(grouping, config, room, rank) for rank, room in enumerate(rooms))
    return max(1, min(fitting))


def requested_bytes(memory_bytes: int, utilization: float) -> int:
    """What vLLM allows itself of a device (v1/worker/utils.py: rounded up)."""
    return math.ceil(memory_bytes * utilization)
