"""The lines that a start will log, in their order.

It knows nothing about the texts, which stand in `log_lines`, nor about sizing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import LogLine
from ferrum_cli.engines.sglang.device_memory import GIB
from ferrum_cli.engines.sglang.dtypes import kv_dtype
from ferrum_cli.engines.sglang.host_tier import HostTier
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.log_lines import write
from ferrum_cli.engines.sglang.memory_lines import draft_state_bytes
from ferrum_cli.engines.sglang.pools import Requests, Tokens
from ferrum_cli.engines.sglang.slot import Slot
from ferrum_cli.engines.sglang.start import Start


def start_lines(found: Start, host: HostTier | None) -> tuple[LogLine, ...]:
    """What the first rank says about its pools."""
    launch, divided, tokens, requests = found.launch, found.split, found.tokens, found.requests
    lines: list[LogLine] = []
    if divided is not None and divided.images_gib > 0:
        lines.append(write("images_reserved", reserved=divided.images_gib))
    if launch is None or tokens is None or requests is None:
        return tuple(lines)
    lines += _windows(found, tokens)
    lines += _requests(found, launch, requests)
    lines += _state(found, launch, requests)
    lines += _kv(found, launch, tokens)
    lines += _served(found, launch, tokens, requests)
    if host is not None and host.slots:
        size = host.state_bytes / 1e9
        lines.append(write("host_state_allocated", size=size, slots=host.slots, layout=host.layout))
    return tuple(lines)


def _windows(found: Start, tokens: Tokens) -> Iterator[LogLine]:
    if tokens.window is None:
        return
    if found.cells[0].full:
        yield write("window_pool", tokens=tokens.full, windows=tokens.window)
    else:
        yield write("window_pool_only", windows=tokens.window)


def _requests(found: Start, launch: Launch, requests: Requests) -> Iterator[LogLine]:
    if requests.capped_by_slots and requests.by_slots is not None:
        yield write(
            "requests_capped_by_slots",
            requests=requests.by_slots,
            slots=found.slots or 0,
            ratio=launch.strategy.slots_per_request,
        )
    elif requests.asked is not None and requests.count < requests.asked:
        yield write("requests_reduced_by_kv", asked=requests.asked, requests=requests.count)


def _state(found: Start, launch: Launch, requests: Requests) -> Iterator[LogLine]:
    slot, slots = found.slot, found.slots
    if slot is None or slots is None:
        return
    rows = found.layers.state_on(found.stages[0]) * (slots + 1)
    conv = rows * slot.shape.conv_elements * slot.conv.size_bytes / GIB
    temporal = rows * slot.shape.temporal_elements * slot.temporal.size_bytes / GIB
    if launch.speculation is None or launch.is_prefill_server:
        yield write("state_allocated", slots=slots, conv=conv, temporal=temporal)
        return
    drafts = _first_rank_drafts(found, launch, slot, requests)
    yield write(
        "state_allocated_with_drafts",
        slots=slots,
        conv=conv,
        temporal=temporal,
        draft_temporal=drafts[0],
        draft_conv=drafts[1],
    )


def _first_rank_drafts(
    found: Start, launch: Launch, slot: Slot, requests: Requests
) -> tuple[float, float]:
    share = found.layers.state_on(found.stages[0]) / max(1, slot.fullest_stage)
    temporal, conv = draft_state_bytes(launch, slot, requests.count)
    return temporal * share / GIB, conv * share / GIB


def _kv(found: Start, launch: Launch, tokens: Tokens) -> Iterator[LogLine]:
    """Sizes include the padding page."""
    cell, held = found.cells[0], tokens.full + launch.page_size
    if not cell.size_bytes or cell.window:
        return
    _, dtype, _ = kv_dtype(found.question)
    name = dtype.torch_name
    if cell.is_latent:
        size = held * cell.key / GIB
        yield write("latent_kv_allocated", dtype=name, tokens=tokens.full, size=size)
        return
    key, value = held * cell.key / GIB, held * cell.value / GIB
    yield write("kv_allocated", dtype=name, tokens=tokens.full, key=key, value=value)


def _served(found: Start, launch: Launch, tokens: Tokens, requests: Requests) -> Iterator[LogLine]:
    yield write(
        "max_total_num_tokens",
        tokens=tokens.full,
        chunk=(found.fraction.chunk if found.fraction else 0) // launch.attention_dp,
        prefill=found.question.settings.value("max_prefill_tokens"),
        requests=requests.count,
        context=launch.context,
    )
