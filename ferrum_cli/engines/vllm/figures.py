"""Every figure of a start with the formula, values and file that explain it.

Files are those of the vLLM version whose rules are used. It knows nothing about how figures are
shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import Figure
from ferrum_cli.engines.vllm.alignment import Alignment
from ferrum_cli.engines.vllm.groups import Grouping
from ferrum_cli.engines.vllm.memory import utilization
from ferrum_cli.engines.vllm.pages import StatePage
from ferrum_cli.engines.vllm.pool import held, needed
from ferrum_cli.engines.vllm.start import Start

_PLATFORM = "platforms/interface.py"
_UTILS = "v1/core/kv_cache_utils.py"
_STATES = "model_executor/layers/mamba/mamba_utils.py"


def figures(found: Start) -> tuple[Figure, ...]:
    """Every figure, as far as the start gets."""
    version = found.launch.bracket.read[0]
    return tuple(
        Figure(name, value, formula, f"vLLM {version}, {source}")
        for name, value, formula, source in _all(found)
    )


_Rows = Iterator[tuple[str, int | float | str, str, str]]


def _all(found: Start) -> _Rows:
    outcome = found.outcome
    if outcome.alignment is not None:
        yield from _states(found)
        yield from _block(found, outcome.alignment)
    if outcome.grouping is not None:
        yield from _pool(found, outcome.grouping)
        yield from _request(found, outcome.grouping)
        yield from _limits(found)


def _states(found: Start) -> _Rows:
    outcome = found.outcome
    for counted in outcome.inventory.state:
        state = outcome.states[counted.placed.name]
        parts = " + ".join(
            f"{'·'.join(map(str, t.shape))}·{t.dtype.size_bytes} B ({t.name})"
            for t in state.tensors
        )
        name = "state_bytes_per_layer"
        if counted is not outcome.inventory.state[0]:
            name += f".{counted.placed.name}"
        yield name, state.content_bytes, parts, _STATES


def _block(found: Start, alignment: Alignment) -> _Rows:
    if found.outcome.inventory.model_type != "hybrid":
        yield "block_size", alignment.block_size, "of the attention backend", _PLATFORM
        return
    page = alignment.block_size * alignment.token_bytes
    formula = (
        f"max({alignment.block_size_before}, {alignment.quantum} × ⌈{alignment.state_bytes} B of"
        f" state / ({alignment.quantum} × {alignment.token_bytes} B a token)⌉, up to what every"
        " attention backend takes)"
    )
    yield "block_size", alignment.block_size, formula, _PLATFORM
    yield (
        "state_page_bytes_per_layer",
        page,
        f"{alignment.block_size} tokens × {alignment.token_bytes} B",
        _PLATFORM,
    )


def _pool(found: Start, grouping: Grouping) -> _Rows:
    parts = "; ".join(
        f"{g.count} × {g.page.kind if not isinstance(g.page, StatePage) else 'state'} of"
        f" {-(-g.layers // g.count)} layers"
        for g in grouping.groups
    )
    block = max(grouping.block_bytes)
    yield (
        "bytes_per_block",
        block,
        f"the largest group's pages on the fullest rank ({parts})",
        _UTILS,
    )
    pool, budget = found.outcome.pool, found.outcome.budget
    if budget is not None:
        yield (
            "available_bytes",
            min(budget.cache_bytes),
            _available(found),
            "v1/worker/gpu_worker.py",
        )
    if pool is not None and pool.num_blocks is not None and pool.available_bytes is not None:
        rooms = zip(pool.available_bytes, grouping.block_bytes, strict=True)
        how = ", ".join(f"{room} // {size}" for room, size in rooms if size)
        yield "num_gpu_blocks", pool.num_blocks, f"min({how})", _UTILS


def _available(found: Start) -> str:
    budget = found.outcome.budget
    if budget is None or budget.requested is None:
        return "as given by kv_cache_memory_bytes"
    rank = budget.cache_bytes.index(min(budget.cache_bytes))
    memory = found.question.machine.memory_bytes
    return (
        f"⌈{memory} × {utilization(found.config)}⌉ − {budget.weights[rank]} weights"
        f" − {budget.records} records − {budget.overhead} overhead"
    )


def _request(found: Start, grouping: Grouping) -> _Rows:
    config, outcome = found.config, found.outcome
    length = outcome.pool.max_model_len if outcome.pool else config.max_model_len
    tokens = min(config.context, length)
    counted = " + ".join(f"{g.count}·{needed(g.page, config, length)}" for g in grouping.groups)
    holding = " + ".join(f"{g.count}·{held(g.page, config, tokens)}" for g in grouping.groups)
    limits = found.limits
    if limits.blocks_per_max_len_request is not None and limits.held_blocks is not None:
        yield (
            "blocks_per_max_len_request",
            limits.blocks_per_max_len_request,
            f"groups · blocks at {length} tokens as vLLM counts them: {counted}",
            _UTILS,
        )
        yield (
            "held_blocks",
            limits.held_blocks,
            f"groups · blocks that a decoding request of {tokens} tokens holds: {holding}",
            "v1/core/single_type_kv_cache_manager.py",
        )


def _limits(found: Start) -> _Rows:
    limits, pool = found.limits, found.outcome.pool
    if pool is None or pool.num_blocks is None or limits.max_concurrency is None:
        return
    need, holds = limits.blocks_per_max_len_request, limits.held_blocks
    by_length = found.config.rules.size_in_log == "concurrency"
    yield "max_concurrency", limits.max_concurrency, f"{pool.num_blocks} / {need}", _UTILS
    yield (
        "kv_cache_size_tokens",
        limits.kv_cache_size_tokens or 0,
        f"⌊{pool.num_blocks} / {need} × {pool.max_model_len}⌋"
        if by_length
        else f"{pool.num_blocks} // groups × smallest block",
        _UTILS,
    )
    yield (
        "running_limit",
        limits.running_limit or 0,
        f"({pool.num_blocks} − 1) // {holds}",
        "v1/core/block_pool.py",
    )
    if limits.max_num_seqs_limit is not None:
        how = "num_gpu_blocks, where full CUDA graphs are captured"
        yield "max_num_seqs_limit", limits.max_num_seqs_limit, how, "config/compilation.py"
