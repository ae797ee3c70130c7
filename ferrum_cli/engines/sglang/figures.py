"""The figures of a plan with formula, values and source, for `--explain`.

It knows nothing about how they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import Figure
from ferrum_cli.engines.sglang.device_memory import GIB
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.start import Start

_CONFIGURATOR = "SGLang 0.5.23, mem_cache/kv_cache_configurator.py"
_POOLS = "SGLang 0.5.23, model_executor/pool_configurator.py"


def figures(found: Start) -> tuple[Figure, ...]:
    """Every figure that this start computed."""
    launch = found.launch
    if launch is None:
        return ()
    return (*_slot(found, launch), *_kv(found), *_memory(found), *_pools(found, launch))


def _slot(found: Start, launch: Launch) -> Iterator[Figure]:
    slot = found.slot
    if slot is None:
        return
    shapes = " + ".join("·".join(map(str, shape)) for shape in slot.shape.conv)
    temporal = "·".join(map(str, slot.shape.temporal))
    yield Figure(
        "bytes_per_slot",
        slot.size_bytes,
        f"{slot.layers} layers × (({shapes}) × {slot.conv.size_bytes} B + {temporal} ×"
        f" {slot.temporal.size_bytes} B) on one of {launch.state_tp} ranks",
        f"{found.dtypes.origin if found.dtypes else ''}; configs/mamba_utils.py",
    )
    strategy = launch.strategy
    name = strategy.name if strategy.radix_cache else "no prefix cache"
    yield Figure(
        "mamba_ratio_slots_per_request",
        strategy.slots_per_request,
        f"{name}: {strategy.slots_per_request - strategy.tracking_slots}"
        f" + {strategy.tracking_slots} tracking slots",
        f"{_CONFIGURATOR} (_calculate_mamba_ratio)",
    )


def _kv(found: Start) -> Iterator[Figure]:
    cell = max(found.cells, key=lambda cell: cell.size_bytes, default=None)
    if cell is None:
        return
    terms = f"keys {cell.key} + values {cell.value} + indexer {cell.index} + draft {cell.draft}"
    if cell.window:
        terms += f" + {cell.window_ratio:g} × windows {cell.window}"
    yield Figure("kv_cell_size_bytes_per_token", cell.size_bytes, terms, _POOLS)


def _memory(found: Start) -> Iterator[Figure]:
    memory, fraction, divided = found.memory, found.fraction, found.split
    if fraction is not None:
        yield Figure(
            "mem_fraction_static",
            fraction.value,
            fraction.formula,
            "SGLang 0.5.23, arg_groups/memory_hook.py",
        )
    if memory is None or divided is None:
        return
    yield Figure(
        "available_bytes",
        int(divided.rest_gib * GIB),
        f"{memory.after_gib:.4f} GiB after the weights - slack {divided.slack_gib:.4f} GiB"
        f" - images {divided.images_gib:.4f} GiB",
        f"{_CONFIGURATOR} (_profile_available_bytes)",
    )


def _pools(found: Start, launch: Launch) -> Iterator[Figure]:
    divided, tokens, requests = found.split, found.tokens, found.requests
    if divided is None:
        return
    if found.slot is not None and divided.slots is not None:
        yield Figure(
            "max_mamba_cache_size",
            divided.slots,
            _slots_formula(found, launch),
            f"{_CONFIGURATOR} (_handle_max_mamba_cache)",
        )
    if tokens is not None:
        yield Figure(
            "max_total_num_tokens",
            tokens.full,
            f"{divided.kv_bytes} B // {max(cell.size_bytes for cell in found.cells):g} B, in pages"
            f" of {launch.page_size}",
            _POOLS,
        )
    if requests is not None:
        by_slots = "" if requests.by_slots is None else f", {requests.by_slots} by slots"
        yield Figure(
            "max_running_requests",
            requests.count,
            f"min({requests.by_tokens} by tokens and flag{by_slots}) for each of"
            f" {launch.workers} workers",
            f"{_CONFIGURATOR} (resolve_max_num_reqs)",
        )


def _slots_formula(found: Start, launch: Launch) -> str:
    slot, divided = found.slot, found.split
    assert slot is not None and divided is not None  # noqa: S101, PT018 - the caller has looked
    if launch.slots is not None:
        return f"--max-mamba-cache-size {launch.slots} // {launch.attention_dp} workers"
    if not launch.strategy.radix_cache and launch.requests is not None:
        return f"one slot for each of {launch.requests} requests // {launch.attention_dp} workers"
    ratio = launch.memory_ratio
    share = f"{divided.rest_gib:.4f} GiB × {ratio:g} / (1 + {ratio:g})"
    if not slot.draft_states:
        return f"({share} - {slot.charged_bytes} B padding row) // {slot.charged_bytes} B"
    drafts = launch.draft_tokens
    return (
        f"({share} - {slot.bytes_on_stage} B × (1 + {drafts})) // ({slot.bytes_on_stage} B ×"
        f" (1 + {drafts} / {launch.strategy.slots_per_request}))"
    )
