"""Every byte of the fullest device by its use, when the requests asked about run.

Content is what tensors and tokens fill; the rest of a request's blocks is padding of pages and of
groups. It knows nothing about how the blocks came about.
"""

from __future__ import annotations

from ferrum_cli.engines._engine import MemoryLine
from ferrum_cli.engines.vllm.groups import Grouping
from ferrum_cli.engines.vllm.layout import token_content_bytes
from ferrum_cli.engines.vllm.memory import weights_on_rank
from ferrum_cli.engines.vllm.pages import StatePage
from ferrum_cli.engines.vllm.pool import held
from ferrum_cli.engines.vllm.start import Start


def memory_lines(found: Start) -> tuple[MemoryLine, ...]:
    """The lines of the rank that needs most; they add up to the device's memory where it is known.

    They do not where the requests do not fit, or the weights alone do not.
    """
    ranks = range(found.launch.parallel.pp)
    return max((_rank(found, rank) for rank in ranks), key=_needed)


def _needed(lines: tuple[MemoryLine, ...]) -> int:
    return sum(line.size_bytes for line in lines if line.budgeted)


def _rank(found: Start, rank: int) -> tuple[MemoryLine, ...]:
    weights = weights_on_rank(found.question, found.config)[rank]
    lines = [MemoryLine("weights", weights, found.question.weights.source)]
    grouping = found.outcome.grouping
    if grouping is None:
        return (*lines, _overhead(found))
    lines += _requests(found, grouping, rank)
    lines += _fixed(found, grouping, rank)
    lines += _rest(found, grouping, rank)
    return (*lines, _overhead(found))


def _requests(found: Start, grouping: Grouping, rank: int) -> list[MemoryLine]:
    """What the requests fill, and what their blocks take beyond that."""
    config, requests = found.config, found.replica_requests
    tokens = min(config.context, found.outcome.pool.max_model_len if found.outcome.pool else 2**63)
    state = pages = copies = 0
    for group in grouping.groups:
        blocks = held(group.page, config, tokens)
        for bucket in group.buckets:
            pages += bucket.layers[rank] * blocks * bucket.page.page_bytes
            if isinstance(bucket.page, StatePage):
                state += bucket.layers[rank] * blocks * bucket.page.state.content_bytes
                copies = max(copies, blocks)
    caches = token_content_bytes(found.outcome, rank, tokens)
    blocks = found.limits.held_blocks or 0
    whole = blocks * grouping.block_bytes[rank]
    each = f"{requests} × "
    return [
        MemoryLine(
            "recurrent state", requests * state, f"{each}{state} B in {copies} block(s) a group"
        ),
        MemoryLine("KV cache", requests * caches, f"{each}{caches} B at {tokens} tokens"),
        MemoryLine(
            "padding of pages",
            requests * (pages - state - caches),
            f"{each}({pages} B of pages − state − KV cache)",
        ),
        MemoryLine(
            "padding of groups",
            requests * (whole - pages),
            f"{each}({blocks} blocks × {grouping.block_bytes[rank]} B − {pages} B of pages)",
        ),
    ]


def _fixed(found: Start, grouping: Grouping, rank: int) -> list[MemoryLine]:
    lines = [MemoryLine("null block", grouping.block_bytes[rank], "the block never handed out")]
    budget = found.outcome.budget
    if budget is not None and budget.records:
        seqs = found.config.batching.max_num_seqs.value
        lines.append(
            MemoryLine("RecoverSSM records", budget.records, f"for {seqs} requests (max_num_seqs)")
        )
    return lines


def _rest(found: Start, grouping: Grouping, rank: int) -> list[MemoryLine]:
    """What is left of the pool and of the device, where both are known and hold the requests."""
    pool, budget = found.outcome.pool, found.outcome.budget
    if pool is None or budget is None or pool.num_blocks is None or budget.cache_bytes[rank] < 0:
        return []
    size = grouping.block_bytes[rank]
    free = pool.num_blocks - 1 - found.replica_requests * (found.limits.held_blocks or 0)
    remainder = budget.cache_bytes[rank] - pool.num_blocks * size
    if free < 0 or remainder < 0:
        return []
    lines = [
        MemoryLine("free blocks", free * size, f"{free} × {size} B", budgeted=False),
        MemoryLine("below one block", remainder, "of the pool", budgeted=False),
    ]
    memory = found.question.machine.memory_bytes
    if memory is None:
        return lines
    used = budget.weights[rank] + budget.records + budget.overhead + budget.cache_bytes[rank]
    if memory >= used:
        how = "memory − gpu_memory_utilization × memory" if budget.requested else "given to nothing"
        lines.append(MemoryLine("outside vLLM", memory - used, how, budgeted=False))
    return lines


def _overhead(found: Start) -> MemoryLine:
    size = found.question.machine.overhead_bytes
    return MemoryLine("overhead", size, "activations, graphs and libraries", budgeted=False)
