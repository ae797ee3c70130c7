"""KV tokens out of what is left for KV, and running requests out of tokens and slots.

SGLang 0.5.23, model_executor/pool_configurator.py and mem_cache/kv_cache_configurator.py
(config_from_budget, resolve_max_num_reqs). It knows nothing about where the bytes come from.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines.sglang.kv_cell import Cell
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.refusals import (
    Refusal,
    no_request_fits,
    no_tokens,
    window_cap_too_large,
    window_pool_too_small,
)

LEAST_ESTIMATE, MOST_ESTIMATE = 2048, 4096
_WITHOUT_KV = 2**63 - 1
"""Tokens of a stage without any attention, where another stage has some."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """KV tokens of one worker."""

    full: int
    window: int | None = None
    """Tokens in the pool of sliding windows."""
    limited_by_flag: bool = False
    window_cap_bytes: int = 0
    """Bytes of that pool where the requests asked for size it."""


@dataclass(frozen=True, slots=True)
class Requests:
    """Running requests of one worker, and what bounds them."""

    count: int
    by_tokens: int
    """What tokens, and the flag or SGLang's estimate, allow."""
    by_slots: int | None
    asked: int | None
    """`max_running_requests` for one worker."""

    @property
    def capped_by_slots(self) -> bool:
        """Whether the state slots are what stops the next one."""
        return self.by_slots is not None and self.by_slots < self.by_tokens


@dataclass(frozen=True, slots=True)
class WindowPool:
    """What the pool of sliding windows needs to know."""

    window: int
    cap: int | None
    """Tokens that the requests asked for can hold at most, where that sizes the pool."""


def kv_tokens(
    launch: Launch,
    cells: tuple[Cell, ...],
    kv_bytes: int,
    limit: int | None,
    pool: WindowPool | None,
) -> Tokens | Refusal:
    """Tokens of the stage that holds fewest, in whole pages, within `--max-total-tokens`."""
    counts = [_on_stage(launch, cell, cells, kv_bytes, limit, pool) for cell in cells]
    refused = next((found for found in counts if isinstance(found, Refusal)), None)
    if refused is not None:
        return refused
    most = min(count for count in counts if isinstance(count, int))
    tokens = most if limit is None else min(most, limit)
    tokens -= tokens % launch.page_size
    if tokens <= 0:
        return no_tokens()
    return _with_windows(
        launch, cells[0], Tokens(tokens, None, limit is not None and limit < most), pool
    )


def _on_stage(
    launch: Launch,
    cell: Cell,
    cells: tuple[Cell, ...],
    kv_bytes: int,
    limit: int | None,
    pool: WindowPool | None,
) -> int | Refusal:
    """Whole pages of one stage's tokens."""
    if pool is not None and pool.cap is not None and cell.full:
        return _beside_cap(launch, cell, kv_bytes, pool.cap)
    if cell.size_bytes:
        tokens = int(kv_bytes // cell.size_bytes)
    elif any(other.size_bytes for other in cells):
        tokens = _WITHOUT_KV
    else:
        # A pure state-space model has no KV: tokens are only a count that schedules.
        tokens = limit or launch.context
    return tokens - tokens % launch.page_size


def _beside_cap(launch: Launch, cell: Cell, kv_bytes: int, cap: int) -> int | Refusal:
    """Full tokens where the window pool is as large as the requests can ever need."""
    windows = -(-cap // launch.page_size) * launch.page_size
    held = windows * cell.window
    tokens = (kv_bytes - held) // cell.full
    tokens -= tokens % launch.page_size
    return tokens if tokens > 0 else window_cap_too_large(windows, held, kv_bytes)


def _with_windows(
    launch: Launch, cell: Cell, tokens: Tokens, pool: WindowPool | None
) -> Tokens | Refusal:
    if not cell.window or pool is None:
        return tokens
    if not cell.full:
        return Tokens(tokens.full, tokens.full, tokens.limited_by_flag)
    if pool.cap is not None:
        most = -(-pool.cap // launch.page_size) * launch.page_size
        windows = min(most, tokens.full)
        return Tokens(tokens.full, windows, tokens.limited_by_flag, most * cell.window)
    windows = int(tokens.full * cell.window_ratio)
    windows -= windows % launch.page_size
    if pool.window + launch.page_size >= windows:
        return window_pool_too_small(windows, pool.window, launch.page_size)
    return Tokens(tokens.full, windows, tokens.limited_by_flag)


def running_requests(launch: Launch, tokens: int, slots: int | None) -> Requests | Refusal:
    """Requests that one worker runs at once."""
    estimate = max(min(int(tokens / launch.context * 512), MOST_ESTIMATE), LEAST_ESTIMATE)
    asked = launch.requests_per_worker
    by_tokens = min(estimate if asked is None else asked, tokens // 2)
    if slots is None:
        return Requests(by_tokens, by_tokens, None, asked)
    ratio = launch.strategy.slots_per_request
    found = Requests(min(by_tokens, slots // ratio), by_tokens, slots // ratio, asked)
    return found if found.count > 0 else no_request_fits(slots, ratio)


def window_cap(launch: Launch, window: int, chunk: int, interval: int) -> int | None:
    """Most sliding-window tokens of the requests asked for, where these size the pool.

    Without a prefix cache, with `--max-running-requests` and chunked prefill
    (compute_swa_request_cap). `interval` is the number of decode steps between two evictions.
    """
    per_worker = launch.requests_per_worker
    if launch.strategy.radix_cache or per_worker is None or chunk <= 0:
        return None
    spec, page = launch.speculation, launch.page_size
    trailing = window + max(1, interval) * (spec.draft_tokens if spec else 1) + page
    decode = 2 * spec.tokens_per_decode if spec else page
    chunks = 2 if launch.strategy.overlap else 1
    return (trailing + decode) * per_worker + chunks * chunk + page
