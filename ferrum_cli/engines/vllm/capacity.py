"""The three limits of a pool: what the log prints, what really runs, what vLLM starts with.

They are not the same. v1/core/kv_cache_utils.py (get_max_concurrency_for_kv_cache_config) for the
log; the second was measured with vLLM's own scheduler; config/compilation.py for the third. It
knows nothing about how the pool came about.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._engine import Capacity, LimitedBy
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.evaluation import Outcome
from ferrum_cli.engines.vllm.groups import Grouping, is_state
from ferrum_cli.engines.vllm.pool import held, held_blocks, request_blocks
from ferrum_cli.engines.vllm.shortages import graphs_check_sequences
from ferrum_cli.engines.vllm.token_pages import TokenPage


@dataclass(frozen=True, slots=True)
class Limits:
    """Blocks of a request, and the limits that follow; None where the pool is not known."""

    blocks_per_max_len_request: int | None = None
    held_blocks: int | None = None
    """Blocks that a request of the context asked about really holds while it decodes."""
    max_concurrency: float | None = None
    kv_cache_size_tokens: int | None = None
    running_limit: int | None = None
    max_num_seqs_limit: int | None = None


def limits(outcome: Outcome) -> Limits:
    """All limits as far as the outcome gets."""
    config, grouping, pool = outcome.config, outcome.grouping, outcome.pool
    if grouping is None or pool is None:
        return Limits()
    need = request_blocks(grouping, config, pool.max_model_len)
    holds = held_blocks(grouping, config, min(config.context, pool.max_model_len))
    if pool.num_blocks is None:
        return Limits(need, holds)
    concurrency = pool.num_blocks / need
    checked = graphs_check_sequences(config, outcome.inventory)
    return Limits(
        blocks_per_max_len_request=need,
        held_blocks=holds,
        max_concurrency=concurrency,
        kv_cache_size_tokens=_tokens(grouping, config, pool.num_blocks, concurrency),
        running_limit=max(0, pool.num_blocks - 1) // holds,
        max_num_seqs_limit=pool.num_blocks if checked else None,
    )


def _tokens(grouping: Grouping, config: Configuration, blocks: int, concurrency: float) -> int:
    """The log's token count; until 0.19 it ignored that groups take blocks of their own."""
    if config.rules.size_in_log == "concurrency":
        return int(concurrency * config.max_model_len)
    sizes = [
        g.page.block_size if isinstance(g.page, TokenPage) else g.page.mamba_block_size
        for g in grouping.groups
    ]
    return blocks // sum(g.count for g in grouping.groups) * min(sizes) * config.dcp


def capacity(outcome: Outcome, found: Limits, dp: int) -> Capacity:
    """What really runs at the context asked about: the pool's limit, or max_num_seqs."""
    config = outcome.config
    context = config.context
    room = outcome.budget.cache_bytes if outcome.budget else None
    available = None if room is None else max(0, min(room))
    if outcome.refusal is not None and outcome.refusal.code == "no-cache-memory":
        return Capacity(available, 0, "memory", context)
    if found.running_limit is None:
        return Capacity(available, None, None, context)
    most = min(found.running_limit, config.batching.most_running)
    by: LimitedBy = _larger_part(outcome)
    if config.batching.most_running < found.running_limit:
        by = "max_num_seqs"
    return Capacity(available, most * dp, by, context)


def _larger_part(outcome: Outcome) -> LimitedBy:
    """Whether a request holds more blocks for its state or for its tokens."""
    state = tokens = 0
    grouping = outcome.grouping
    for group in grouping.groups if grouping else ():
        blocks = group.count * held(group.page, outcome.config, outcome.config.context)
        if is_state(group):
            state += blocks
        else:
            tokens += blocks
    return "state" if state > tokens else "kv"
