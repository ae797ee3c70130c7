"""Every figure of a start with the formula, values and file that explain it.

Files are those of the vLLM version whose rules are used. It knows nothing about how figures are
shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import Figure
from ferrum_cli.engines._formula import least
from ferrum_cli.engines.vllm.alignment import Alignment
from ferrum_cli.engines.vllm.groups import Grouping, Groups
from ferrum_cli.engines.vllm.layout import in_order, layout
from ferrum_cli.engines.vllm.layout_figures import (
    block_formula,
    cache_figures,
    group_figures,
    slot_figures,
)
from ferrum_cli.engines.vllm.memory import utilization
from ferrum_cli.engines.vllm.pages import StatePage
from ferrum_cli.engines.vllm.pool import held, needed
from ferrum_cli.engines.vllm.start import Start
from ferrum_cli.engines.vllm.states import Tensor

_PLATFORM = "platforms/interface.py"
_UTILS = "v1/core/kv_cache_utils.py"
_STATES = "model_executor/layers/mamba/mamba_utils.py"
_MANAGER = "v1/core/single_type_kv_cache_manager.py"


def figures(found: Start) -> tuple[Figure, ...]:
    """Every figure, as far as the start gets."""
    return tuple(_all(found))


def _all(found: Start) -> Iterator[Figure]:
    outcome = found.outcome
    version = f"vLLM {found.launch.bracket.read[0]}"
    if outcome.alignment is not None:
        yield from slot_figures(found, version)
        yield from _states(found)
        yield from _block(found, outcome.alignment)
        yield from cache_figures(found, version)
    if outcome.grouping is not None:
        yield from group_figures(found, outcome.grouping, version)
        yield from _pool(found, outcome.grouping)
        yield from _request(found, outcome.grouping)
        yield from _limits(found)


def _figure(
    found: Start, name: str, value: float, formula: str, file: str, log: str = ""
) -> Figure:
    version = found.launch.bracket.read[0]
    return Figure(name, value, formula, f"vLLM {version}, {file}", log)


def _states(found: Start) -> Iterator[Figure]:
    """The state of one layer, of each kind there is, the first of the layout first."""
    states = list(dict.fromkeys(in_order(found.outcome)))
    for position, state in enumerate(states):
        name = "state_bytes_per_layer" + (f".{position}" if position else "")
        formula = " + ".join(map(_tensor, state.tensors))
        yield _figure(found, name, state.content_bytes, formula, _STATES)
    if not states:
        nothing = "0 B, no recurrent state"
        yield _figure(found, "state_bytes_per_layer", 0, nothing, _STATES)
        yield _figure(found, "state_page_bytes_per_layer", 0, nothing, _STATES)


def _tensor(tensor: Tensor) -> str:
    extents = " × ".join(map(str, tensor.shape))
    return f"{extents} of {tensor.name} × {tensor.dtype.size_bytes} B"


def _block(found: Start, alignment: Alignment) -> Iterator[Figure]:
    block, before = alignment.block_size, alignment.block_size_before
    if found.outcome.inventory.model_type != "hybrid":
        formula = f"{before} tokens of the attention back end"
        yield _figure(found, "block_size", block, formula, _PLATFORM)
        yield _mamba_block(found, alignment)
        yield from _unpadded_page(found)
        return
    step = f"{alignment.quantum} tokens a step"
    formula = (
        f"max({before} tokens of the attention back end, {step} × ⌈{alignment.state_bytes} B of"
        f" state / ({step} × {alignment.token_bytes} B a token)⌉)"
    )
    yield _figure(found, "block_size", block, formula, _PLATFORM, "attention block size")
    page = block * alignment.token_bytes
    formula = f"{block} tokens × {alignment.token_bytes} B a token"
    yield _figure(
        found, "state_page_bytes_per_layer", page, formula, _PLATFORM, "attention page size"
    )
    yield _mamba_block(found, alignment)


def _mamba_block(found: Start, alignment: Alignment) -> Figure:
    """Tokens from one state that is kept to the next."""
    why = {
        "none": "the whole context, as no state is kept for later",
        "align": "a block, as states are kept where blocks end",
        "all": "a state in every block",
    }[found.config.mode]
    formula = f"{alignment.mamba_block_size} tokens, {why}"
    return _figure(found, "mamba_block_size", alignment.mamba_block_size, formula, _PLATFORM)


def _unpadded_page(found: Start) -> Iterator[Figure]:
    """State beside no attention: its page is its content, unless groups make it larger."""
    if found.outcome.inventory.state:
        size = layout(found.outcome, found.limits)["state_page_bytes_per_layer"]
        formula = f"{size} B, as the group has it"
        yield _figure(found, "state_page_bytes_per_layer", size, formula, _UTILS)


def _pool(found: Start, grouping: Grouping) -> Iterator[Figure]:
    block = max(grouping.block_bytes)
    formula = block_formula(grouping, grouping.block_bytes.index(block))
    yield _figure(found, "bytes_per_block", block, formula, _UTILS)
    pool, budget = found.outcome.pool, found.outcome.budget
    if budget is not None:
        room = min(budget.cache_bytes)
        log = "Available KV cache memory" if budget.requested is not None else ""
        worker = "v1/worker/gpu_worker.py"
        formula = _available(found) if room >= 0 else f"max(0 B, {_available(found)})"
        yield _figure(found, "available_bytes", max(0, room), formula, worker, log)
    if pool is not None and pool.num_blocks is not None and pool.available_bytes is not None:
        rooms = zip(pool.available_bytes, grouping.block_bytes, strict=True)
        each = [f"{room} B available // {size} B a block" for room, size in rooms if size]
        formula = least(each)
        if not pool.num_blocks:
            formula = f"max(0 blocks, {formula})"
        yield _figure(found, "num_gpu_blocks", pool.num_blocks, formula, _UTILS)


def _kind(groups: Groups) -> str:
    return "state" if isinstance(groups.page, StatePage) else groups.page.kind


def _available(found: Start) -> str:
    budget = found.outcome.budget
    if budget is None or budget.requested is None:
        size = min(budget.cache_bytes) if budget is not None else 0
        return f"{size} B, kv_cache_memory_bytes as given"
    rank = budget.cache_bytes.index(min(budget.cache_bytes))
    memory = found.question.machine.memory_bytes
    return (
        f"⌈{memory} B of memory × {utilization(found.config)} gpu_memory_utilization⌉"
        f" − {budget.weights[rank]} B of weights − {budget.records} B of records"
        f" − {budget.overhead} B of overhead"
    )


def _request(found: Start, grouping: Grouping) -> Iterator[Figure]:
    config, outcome, limits = found.config, found.outcome, found.limits
    if limits.blocks_per_max_len_request is None or limits.held_blocks is None:
        return
    length = outcome.pool.max_model_len if outcome.pool else config.max_model_len
    tokens = min(config.context, length)
    counted = " + ".join(
        f"{g.count} groups × {needed(g.page, config, length)} blocks of {_kind(g)}"
        for g in grouping.groups
    )
    holding = " + ".join(
        f"{g.count} groups × {held(g.page, config, tokens)} blocks of {_kind(g)}"
        for g in grouping.groups
    )
    need = limits.blocks_per_max_len_request
    yield _figure(found, "blocks_per_max_len_request", need, counted, _UTILS)
    yield _figure(found, "held_blocks", limits.held_blocks, holding, _MANAGER)


def _by_blocks(found: Start, blocks: int) -> str:
    """Until 0.19: blocks of one group, times the tokens of the smallest block."""
    grouping = found.grouping
    sizes = [
        g.page.mamba_block_size if isinstance(g.page, StatePage) else g.page.block_size
        for g in grouping.groups
    ]
    groups = sum(g.count for g in grouping.groups)
    split = f" × {found.config.dcp} ranks that share a context" if found.config.dcp > 1 else ""
    return f"{blocks} blocks // {groups} groups × {min(sizes)} tokens of the smallest block{split}"


def _limits(found: Start) -> Iterator[Figure]:
    limits, pool = found.limits, found.outcome.pool
    if pool is None or pool.num_blocks is None or limits.max_concurrency is None:
        return
    blocks, need = f"{pool.num_blocks} blocks", f"{limits.blocks_per_max_len_request} blocks"
    formula = f"{blocks} / {need} a request"
    log = "Maximum concurrency"
    yield _figure(found, "max_concurrency", limits.max_concurrency, formula, _UTILS, log)
    tokens = limits.kv_cache_size_tokens or 0
    by_length = found.config.rules.size_in_log == "concurrency"
    formula = (
        f"⌊{blocks} / {need} a request × {pool.max_model_len} tokens a request⌋"
        if by_length
        else _by_blocks(found, pool.num_blocks)
    )
    yield _figure(found, "kv_cache_size_tokens", tokens, formula, _UTILS, "GPU KV cache size")
    yield from _running(found, blocks)


def _running(found: Start, blocks: str) -> Iterator[Figure]:
    """What really runs, and what vLLM starts with."""
    limits = found.limits
    running = limits.running_limit or 0
    formula = f"({blocks} − 1 null block) // {limits.held_blocks} blocks a request"
    if not running:
        formula = f"max(0 requests, {formula})"
    yield _figure(found, "running_limit", running, formula, "v1/core/block_pool.py")
    if limits.max_num_seqs_limit is not None:
        formula = f"{blocks}, where full CUDA graphs are captured"
        most = limits.max_num_seqs_limit
        yield _figure(found, "max_num_seqs_limit", most, formula, "config/compilation.py")
    if found.capacity.max_requests is not None:
        most, dp = found.config.batching.most_running, found.launch.parallel.dp
        formula = f"min({running} requests, {most} of max_num_seqs) × {dp} replicas"
        yield _figure(found, "max_requests", found.capacity.max_requests, formula, _MANAGER)
