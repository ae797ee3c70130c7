"""What options, padding and blocks cost, found by starting again without them.

It knows nothing about refusals or about flags that reach a target.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ferrum_cli.engines.vllm.advice import NO_DRAFTS
from ferrum_cli.engines.vllm.pages import StatePage
from ferrum_cli.engines.vllm.pool import held, held_blocks
from ferrum_cli.engines.vllm.prefix_cache import checkpoint_scratch_bytes, hit_unit
from ferrum_cli.engines.vllm.start import Start, retried
from ferrum_cli.engines.vllm.versions import has_appeared
from ferrum_cli.quantity import format_bytes
from ferrum_cli.report import Finding, Level

_WORTH_SAYING, _LITTLE, _LARGE = 0.02, 0.05, 0.10
_LARGE_SCRATCH = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Padding:
    """Shares of a request's blocks: what pads state pages and what pads groups."""

    pages: float
    groups: float


def costs(found: Start) -> Iterator[Finding]:
    """Every cost worth saying, once the layers are grouped."""
    if found.outcome.grouping is None:
        return
    for check in _CHECKS:
        yield from check(found)


def _limits(found: Start) -> Iterator[Finding]:
    """Three answers to one question, which are not the same."""
    limits, config = found.limits, found.config
    if not limits.running_limit or limits.max_concurrency is None:
        return
    fewer = " (or one fewer while another request fills)" if config.mode == "align" else ""
    seqs = config.batching.max_num_seqs.value
    yield Finding(
        Level.INFO,
        "three-limits",
        f"the log will say {limits.max_concurrency:.2f}x, but {limits.running_limit} requests of"
        f" {found.capacity.context} tokens really run at once{fewer}, each in"
        f" {limits.held_blocks} blocks; max_num_seqs is {seqs}",
        "size by the running limit; more requests than that are preempted as they grow",
    )


def _prefix_caching(found: Start) -> Iterator[Finding]:
    config = found.config
    if config.mode == "none":
        return
    without = retried(found, enable_prefix_caching=False)
    yield from _difference(
        found,
        without,
        "prefix-caching-cost",
        f"prefix caching (mode {config.mode})",
        "--no-enable-prefix-caching, if prompts share no prefixes",
    )


def _speculation(found: Start) -> Iterator[Finding]:
    drafts = found.config.speculation
    if not drafts.tokens:
        return
    yield from _difference(
        found,
        retried(found, **NO_DRAFTS),
        "speculation-cost",
        f"speculation with {drafts.tokens} draft tokens",
        "fewer draft tokens, or none where requests matter more than latency",
    )


def _difference(found: Start, without: Start, code: str, what: str, hint: str) -> Iterator[Finding]:
    """What changed against a start without something; nothing where nothing did."""
    changes = list(_changes(found, without))
    if changes:
        yield Finding(Level.INFO, code, f"{what} costs: " + ", ".join(changes), hint)


def _changes(found: Start, without: Start) -> Iterator[str]:
    with_block, bare_block = found.outcome.alignment, without.outcome.alignment
    if with_block and bare_block and with_block.block_size != bare_block.block_size:
        yield f"blocks of {with_block.block_size} tokens instead of {bare_block.block_size}"
    running, before = found.limits.running_limit, without.limits.running_limit
    if running != before:
        yield f"{running} requests that run instead of {before}"
    now, then = _need_bytes(found), _need_bytes(without)
    if now is not None and then is not None and now != then:
        yield f"{format_bytes(now)} in the log's count of a request instead of {format_bytes(then)}"
    concurrency, bare = found.limits.max_concurrency, without.limits.max_concurrency
    if concurrency is not None and bare is not None and round(concurrency, 2) != round(bare, 2):
        yield f"{concurrency:.2f}x in the log instead of {bare:.2f}x"


def _need_bytes(found: Start) -> int | None:
    """Bytes of the blocks by which the log counts one request, on the fullest rank."""
    need, grouping = found.limits.blocks_per_max_len_request, found.outcome.grouping
    return need * max(grouping.block_bytes) if need and grouping else None


def padding(found: Start) -> Padding:
    """Shares of what one request holds on the first rank."""
    config, grouping, tokens = found.config, found.grouping, found.capacity.context
    whole = held_blocks(grouping, config, tokens) * grouping.block_bytes[0]
    pages = of_state = 0
    for group in grouping.groups:
        blocks = held(group.page, config, tokens)
        for bucket in group.buckets:
            size = bucket.layers[0] * blocks
            pages += size * bucket.page.page_bytes
            if isinstance(bucket.page, StatePage):
                of_state += size * (bucket.page.page_bytes - bucket.page.state.content_bytes)
    return Padding(of_state / whole, (whole - pages) / whole) if whole else Padding(0, 0)


def _padding(found: Start) -> Iterator[Finding]:
    shares = padding(found)
    for code, share, what in (
        ("page-padding", shares.pages, "pads state up to the page of attention"),
        ("group-padding", shares.groups, "pads groups of fewer layers up to the largest"),
    ):
        if share >= _WORTH_SAYING:
            yield Finding(
                Level.WARNING if share >= _LARGE else Level.INFO,
                code,
                f"{share:.1%} of what a request of {found.capacity.context} tokens holds {what}",
                "both change with --tp and with the dtypes of state and KV; compare some",
            )


def _short_prompts(found: Start) -> Iterator[Finding]:
    config = found.config
    if config.mode == "none":
        return
    unit = hit_unit(found.grouping, config)
    finer = _finer_unit(unit)
    can = has_appeared("0.26.0", config.version) and config.mode == "align" and finer < unit
    alignment = found.outcome.alignment
    grid = alignment.checkpoint_grid if alignment else None
    step = math.lcm(finer, grid) if grid else unit
    scratch = checkpoint_scratch_bytes(found.outcome.inventory, config, step) if grid else 0
    cost = f", for {format_bytes(scratch)} of scratch" if scratch and can else ""
    yield Finding(
        Level.INFO,
        "short-prefixes-miss",
        f"prefixes shorter than {unit} tokens never hit the prefix cache, longer ones at multiples"
        " of it",
        f"--prefix-match-unit {finer} lets them{cost}" if can else None,
    )


def _finer_unit(block: int) -> int:
    """A usual unit that divides the block."""
    return next((unit for unit in (64, 32, 16) if block % unit == 0), block)


def _scratch(found: Start) -> Iterator[Finding]:
    config, alignment = found.config, found.outcome.alignment
    if alignment is None or alignment.checkpoint_grid is None:
        return
    asked = config.settings.value("prefix_match_unit")
    grid = math.lcm(asked, alignment.checkpoint_grid) if asked else alignment.mamba_block_size
    size = checkpoint_scratch_bytes(found.outcome.inventory, config, grid)
    if size >= _LARGE_SCRATCH:
        yield Finding(
            Level.WARNING,
            "checkpoint-scratch",
            f"checkpoints every {grid} tokens take {format_bytes(size)} beside the pool",
            "a larger --prefix-match-unit or a smaller --max-num-batched-tokens takes less",
        )


def _quantized_kv(found: Start) -> Iterator[Finding]:
    """At short contexts a request's blocks are as many bytes as without FP8."""
    config = found.config
    if not config.kv_dtype.quantized or not found.outcome.inventory.state:
        return
    plain = retried(found, kv_cache_dtype=config.model_dtype.torch_name)
    if plain.outcome.grouping is None:
        return

    def _saved(tokens: int) -> float:
        return 1 - _held_bytes(found, tokens) / _held_bytes(plain, tokens)

    context = found.capacity.context
    saved = _saved(context)
    if saved >= _LITTLE:
        return
    limit = found.question.model.description.max_context
    lengths = (context * 2**doubling for doubling in range(1, 32))
    paying = next((n for n in lengths if _saved(n) >= _LITTLE), None)
    when = f"it pays at {paying} tokens" if paying and paying <= limit else "it never pays"
    yield Finding(
        Level.WARNING,
        "quantized-kv-saves-little",
        f"with {config.kv_dtype.name} keys and values a request of {context} tokens holds"
        f" {max(0.0, saved):.1%} less: blocks hold more tokens, not fewer bytes; {when}",
        f"--kv-cache-dtype {config.model_dtype.torch_name}",
    )


def _held_bytes(found: Start, tokens: int) -> int:
    return held_blocks(found.grouping, found.config, tokens) * max(found.grouping.block_bytes)


def _smallest_request(found: Start) -> Iterator[Finding]:
    if not found.outcome.inventory.state:
        return
    blocks = held_blocks(found.grouping, found.config, 1)
    size = blocks * max(found.grouping.block_bytes)
    yield Finding(
        Level.INFO,
        "smallest-request",
        f"even a request of one token holds {blocks} blocks, {format_bytes(size)} a device",
        "many short requests cost as much as their state, whatever their length",
    )


def _records(found: Start) -> Iterator[Finding]:
    budget = found.outcome.budget
    if budget is None or not budget.records:
        return
    seqs = found.config.batching.max_num_seqs.value
    yield Finding(
        Level.INFO,
        "recoverssm-records",
        f"RecoverSSM's records take {format_bytes(budget.records)} beside the pool for {seqs}"
        " requests, whether they run or not",
        f"a lower --max-num-seqs saves {format_bytes(budget.records // seqs)} a request",
    )


_CHECKS: tuple[Callable[[Start], Iterator[Finding]], ...] = (
    _limits,
    _prefix_caching,
    _speculation,
    _padding,
    _short_prompts,
    _scratch,
    _quantized_kv,
    _smallest_request,
    _records,
)
