"""The figures of a plan with formula, values, source and name in the log, for `--explain`.

Amounts in GiB keep every digit, because SGLang divides its memory in floats. It knows nothing about
how figures are shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import Capacity, Figure
from ferrum_cli.engines._formula import by_rank, number
from ferrum_cli.engines.sglang.budget import pads_fit
from ferrum_cli.engines.sglang.device_memory import GIB
from ferrum_cli.engines.sglang.host_tier import HostTier
from ferrum_cli.engines.sglang.kv_cell import Cell
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.pools import LEAST_ESTIMATE, MOST_ESTIMATE
from ferrum_cli.engines.sglang.slot import Slot
from ferrum_cli.engines.sglang.start import Start, version_of

_CONFIGURATOR = "SGLang 0.5.23, mem_cache/kv_cache_configurator.py"
_POOLS = "SGLang 0.5.23, model_executor/pool_configurator.py"
_SHAPES = "SGLang 0.5.23, configs/mamba_utils.py"
_HOST = "SGLang 0.5.23, mem_cache/pool_host"
_HOOK = "SGLang 0.5.23, arg_groups/memory_hook.py"


def figures(found: Start, host: HostTier | None, capacity: Capacity) -> tuple[Figure, ...]:
    """Every figure that this start computed."""
    launch = found.launch
    if launch is None:
        return ()
    return (
        *_slot(found, launch),
        *_kv(found, launch),
        *_memory(found),
        *_state_pool(found, launch),
        *_tokens(found, launch),
        *_requests(found, launch),
        *_capacity(found, launch, capacity),
        *(_host(host) if host is not None else ()),
    )


def _slot(found: Start, launch: Launch) -> Iterator[Figure]:
    slot, source = found.slot, _SHAPES
    if slot is None:
        yield Figure("bytes_per_slot", 0, "0 B, no recurrent state", source)
        return
    source = f"{source}; {found.dtypes.origin if found.dtypes else ''}"
    layers = [found.layers.state_on(stage) for stage in found.stages]
    formulas = [_slot_formula(slot, count, launch) for count in layers]
    sizes = [slot.layer_bytes * count for count in layers]
    yield Figure("bytes_per_slot", sizes[0], formulas[0], source)
    yield from by_rank("bytes_per_slot_per_rank", sizes, formulas, source)
    strategy = launch.strategy
    name = strategy.name if strategy.radix_cache else "no prefix cache"
    own = strategy.slots_per_request - strategy.tracking_slots
    yield Figure(
        "mamba_ratio_slots_per_request",
        strategy.slots_per_request,
        f"{own} slots + {strategy.tracking_slots} tracking slots, {name}",
        f"{_CONFIGURATOR} (_calculate_mamba_ratio)",
        "state slots per request",
    )


def _slot_formula(slot: Slot, layers: int, launch: Launch) -> str:
    windows = " + ".join("·".join(map(str, shape)) for shape in slot.shape.conv) or "0"
    temporal = "·".join(map(str, slot.shape.temporal))
    return (
        f"{layers} layers × (({windows}) of windows × {slot.conv.size_bytes} B + {temporal} of the"
        f" temporal state × {slot.temporal.size_bytes} B), on one of {launch.state_tp} ranks"
    )


def _kv(found: Start, launch: Launch) -> Iterator[Figure]:
    if not found.cells:
        return
    first, fullest = found.cells[0], max(found.cells, key=lambda cell: cell.size_bytes)
    token = first.key + first.value + first.index
    parts = f"{first.key} B of keys + {first.value} B of values + {first.index} B of indexers"
    yield Figure("kv_bytes_per_token", token, f"{parts}, over all layers of the rank", _POOLS)
    window = found.window or 0
    full = f"{first.window} B a token × {window} tokens"
    yield Figure("kv_window_bytes", first.window * window, full, _POOLS)
    context = launch.context
    held = first.window * min(context, window)
    formula = f"{token} B a token × {context} tokens + {held} B of windows"
    yield Figure("kv_bytes_at_context", token * context + held, formula, _POOLS)
    yield Figure("kv_cell_size_bytes_per_token", fullest.size_bytes, _cell(fullest), _POOLS)


def _cell(cell: Cell) -> str:
    """What one token of the pool costs; with windows a share of theirs."""
    if cell.window and not cell.full:
        return f"{cell.window} B of windows"
    terms = (
        f"{cell.key} B of keys + {cell.value} B of values + {cell.index} B of indexers"
        f" + {cell.draft} B of drafts"
    )
    if not cell.window:
        return terms
    return f"{terms} + {cell.window_ratio} × {cell.window} B of windows"


def _memory(found: Start) -> Iterator[Figure]:
    memory, fraction, divided = found.memory, found.fraction, found.split
    if fraction is not None:
        yield Figure("mem_fraction_static", fraction.value, fraction.formula, _HOOK)
    if memory is None or divided is None:
        return
    formula = (
        f"({memory.after_gib} GiB after the weights − {divided.slack_gib} GiB of slack"
        f" − {divided.images_gib} GiB for images) × {GIB} B"
    )
    available = int(divided.rest_gib * GIB)
    source = f"{_CONFIGURATOR} (_profile_available_bytes)"
    yield Figure("available_bytes", available, _whole(formula, available), source)


def _whole(formula: str, value: float) -> str:
    """Cut to a whole number towards zero, as Python's int does."""
    return f"⌊{formula}⌋" if value >= 0 else f"⌈{formula}⌉"


def _state_pool(found: Start, launch: Launch) -> Iterator[Figure]:
    slot, slots = found.slot, found.slots
    if slot is None or slots is None:
        return
    source = f"{_CONFIGURATOR} (_handle_max_mamba_cache)"
    name = "max_mamba_cache_size"
    yield Figure(name, slots, _slots_formula(found, launch, slot), source, name)
    pool = (slots + 1) * slot.bytes_on_stage
    formula = f"({slots} slots + 1 padding row) × {slot.bytes_on_stage} B a slot"
    log = "conv_state size and ssm_state size"
    yield Figure("state_pool_bytes", pool, formula, "SGLang 0.5.23, mem_cache/memory_pool.py", log)


def _slots_formula(found: Start, launch: Launch, slot: Slot) -> str:
    divided, workers = found.split, launch.attention_dp
    if launch.slots is not None:
        return f"{launch.slots} slots // {workers} workers, --max-mamba-cache-size"
    if divided is None or (not launch.strategy.radix_cache and launch.requests is not None):
        each = f"{launch.requests} requests // {workers} workers"
        return f"max(1, {each}), one slot for each"
    ratio = launch.memory_ratio
    share = f"{divided.rest_gib} GiB × {ratio} / (1 + {ratio}) × {GIB} B"
    size, ring = slot.bytes_on_stage, slot.charged_bytes - slot.bytes_on_stage
    padded = pads_fit(version_of(found.question.version))
    if not slot.draft_states:
        padding = slot.charged_bytes if padded else 0
        rings = f" − {divided.rings_bytes} B of rings" if divided.rings_bytes else ""
        return f"({share}{rings} − {padding} B of the padding row) // {slot.charged_bytes} B a slot"
    drafts, held = launch.draft_tokens, launch.strategy.slots_per_request
    padding = size * (1 + drafts) + ring if padded else 0
    each = f"({size} B × (1 + {drafts} drafts / {held} slots a request) + {ring} B of rings)"
    return f"({share} − {padding} B of the padding row) // {each}"


def _tokens(found: Start, launch: Launch) -> Iterator[Figure]:
    divided, tokens = found.split, found.tokens
    if divided is None or tokens is None:
        return
    name = "max_total_num_tokens"
    yield Figure(name, tokens.full, _tokens_formula(found, launch), _POOLS, name)
    if tokens.window is not None:
        yield Figure(
            "swa_max_total_num_tokens",
            tokens.window,
            _window_formula(found, launch),
            _POOLS,
            "swa_layer_tokens",
        )


def _tokens_formula(found: Start, launch: Launch) -> str:
    """The stage that holds fewest, the flag, and whole pages."""
    divided, tokens = found.split, found.tokens
    assert divided is not None and tokens is not None  # noqa: S101, PT018 - the caller has looked
    cell = max(found.cells, key=lambda cell: cell.size_bytes)
    limit = found.question.settings.value("max_total_tokens")
    page = f" // {launch.page_size} tokens a page × {launch.page_size} tokens"
    if not cell.size_bytes:
        given = launch.context if limit is None else limit
        return f"{given} tokens{page}, a count that only schedules"
    most = f"{divided.kv_bytes} B // {number(cell.size_bytes)} B a token"
    if tokens.window_cap_bytes:
        held = f"({divided.kv_bytes} B − {tokens.window_cap_bytes} B of windows)"
        most = f"{held} // {cell.full} B a token"
    return f"{most}{page}" if limit is None else f"min({most}{page}, {limit} tokens){page}"


def _window_formula(found: Start, launch: Launch) -> str:
    tokens, cell = found.tokens, found.cells[0]
    assert tokens is not None  # noqa: S101 - the caller has looked
    if not cell.full:
        return f"{tokens.full} tokens, as many as in all"
    if tokens.window_cap_bytes:
        return f"min({tokens.window_cap_bytes} B // {cell.window} B, {tokens.full}) tokens"
    page = f" // {launch.page_size} tokens a page × {launch.page_size} tokens"
    return f"⌊{tokens.full} tokens × {cell.window_ratio}⌋{page}"


def _requests(found: Start, launch: Launch) -> Iterator[Figure]:
    requests, tokens = found.requests, found.tokens
    if requests is None or tokens is None:
        return
    estimate = f"⌊{tokens.full} tokens / {launch.context} tokens a request × 512⌋"
    wanted = f"max(min({estimate}, {MOST_ESTIMATE}), {LEAST_ESTIMATE}) by SGLang's estimate"
    if requests.asked is not None:
        wanted = f"{requests.asked} by the flag"
    bounds = [wanted, f"{tokens.full} tokens // 2"]
    if requests.by_slots is not None:
        bounds.append(f"{found.slots} slots // {launch.strategy.slots_per_request} a request")
    name = "max_running_requests"
    source = f"{_CONFIGURATOR} (resolve_max_num_reqs)"
    yield Figure(name, requests.count, f"min({', '.join(bounds)})", source, name)


def _capacity(found: Start, launch: Launch, capacity: Capacity) -> Iterator[Figure]:
    """Requests of all workers, or none where SGLang does not start."""
    if capacity.max_requests is None:
        return
    formula = "0 requests, SGLang does not start"
    if found.refusal is None and found.requests is not None and found.tokens is not None:
        formula = f"{found.requests.count} requests a worker × {launch.workers} workers"
        if capacity.limited_by == "kv" and found.question.context_given:
            held = f"{found.tokens.full} tokens // {launch.context} tokens a request"
            formula = f"min({found.requests.count} requests, {held}) × {launch.workers} workers"
    yield Figure("max_requests", capacity.max_requests, formula, _CONFIGURATOR)


def _host(host: HostTier) -> Iterator[Figure]:
    """The host pools, of one rank."""
    log = "state slots" if host.slots else ""
    slots = f"{host.slots} slots, of hicache_ratio or hicache_size, with one row of padding"
    yield Figure("host_state_slots", host.slots, slots, _HOST, log)
    tokens = f"{host.tokens} tokens, of hicache_ratio or hicache_size, with one page more"
    yield Figure("host_kv_tokens", host.tokens, tokens, _HOST)
    formula = f"{host.slots} slots × {host.slot_bytes} B"
    log = "host memory for hierarchical Mamba cache" if host.slots else ""
    yield Figure("host_state_bytes", host.state_bytes, formula, _HOST, log)
    formula = f"{host.tokens} tokens × {host.token_bytes} B"
    yield Figure("host_kv_bytes", host.kv_bytes, formula, _HOST)
