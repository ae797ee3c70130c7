"""From a question to SGLang's answer: the start, laid out in the words of every engine.

It knows nothing about how a start is computed.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import (
    Answer,
    Capacity,
    KeyValueBytes,
    LimitedBy,
    Question,
    Reason,
    StateTensor,
)
from ferrum_cli.engines._options import Setting
from ferrum_cli.engines.sglang.advice import changes, running, sizing
from ferrum_cli.engines.sglang.aliases import canonical
from ferrum_cli.engines.sglang.device_memory import GIB
from ferrum_cli.engines.sglang.dtypes import kv_dtype
from ferrum_cli.engines.sglang.figures import figures
from ferrum_cli.engines.sglang.findings import findings, has_kv
from ferrum_cli.engines.sglang.host_tier import HostTier, host_tier
from ferrum_cli.engines.sglang.memory_lines import memory_lines
from ferrum_cli.engines.sglang.ranks import with_ranks
from ferrum_cli.engines.sglang.start import Start, start
from ferrum_cli.engines.sglang.start_lines import start_lines
from ferrum_cli.report import Finding, Level

_NO_STATE = "the model keeps no recurrent state"


def answer(question: Question) -> Answer:
    """What SGLang would do. Raises ShardingError for flags that ask for an impossible split."""
    question = with_ranks(canonical(question))
    found = start(question)
    host, capacity = _host(found), _capacity(found)
    return Answer(
        engine="sglang",
        version=question.version,
        layout=_layout(found, host),
        state=_state(found),
        bytes_per_slot=_first_rank_bytes(found),
        dtype_source=found.dtypes.origin if found.dtypes else _NO_STATE,
        kv=_key_values(found),
        capacity=capacity,
        memory=memory_lines(found),
        figures=figures(found, host, capacity),
        findings=(*findings(found), *_host_findings(host)),
        log_lines=start_lines(found, host),
        sizing=sizing(found),
        changes=changes(found),
        refusal=found.refusal.text if found.refusal else None,
        options=_options(found),
        reasons=_reasons(found),
    )


def _reasons(found: Start) -> dict[Reason, str]:
    """Why figures differ from other engines'; nothing where SGLang does not begin to count."""
    launch, dtypes, slots = found.launch, found.dtypes, found.slots
    if launch is None or not found.cells:
        return {}
    kv = f"KV {kv_dtype(found.question)[1].name}" if has_kv(found) else "no KV"
    state = f"state {dtypes.temporal.name}, windows {dtypes.conv.name}, " if dtypes else ""
    pools = "both pools" if dtypes else "the pool of KV"
    counted = [f"{slots} slots"] if slots is not None else []
    counted += [f"{found.tokens.full} KV tokens"] if found.tokens and has_kv(found) else []
    strategy = launch.strategy
    cached = strategy.name if strategy.radix_cache else "no prefix cache"
    return {
        "dtype": state + kv,
        "padding": "one slot and one page more" if dtypes else "one page of tokens more",
        "slots": f"{strategy.slots_per_request} a request ({cached})" if dtypes else "none",
        "reserved": " and ".join(counted) + ", made at start" if counted else f"{pools}, at start",
    }


def _layout(found: Start, host: HostTier | None) -> dict[str, Any]:
    """SGLang's own figures, as far as the start got."""
    layout: dict[str, Any] = {}
    launch, slot = found.launch, found.slot
    if launch is None:
        return layout
    if slot is not None:
        layout |= {
            "conv_shapes": [list(shape) for shape in slot.shape.conv],
            "temporal_shape": list(slot.shape.temporal),
            "conv_dtype": slot.conv.torch_name,
            "temporal_dtype": slot.temporal.torch_name,
            "bytes_per_slot_per_rank": [
                slot.layer_bytes * found.layers.state_on(stage) for stage in found.stages
            ],
            "mamba_ratio_slots_per_request": launch.strategy.slots_per_request,
            "mamba_radix_cache_strategy": launch.strategy.name,
        }
    if slot is not None and found.slots is not None:
        layout["max_mamba_cache_size"] = found.slots
        layout["state_pool_bytes"] = (found.slots + 1) * slot.bytes_on_stage
    if found.cells:
        layout["kv_cell_size_bytes_per_token"] = max(cell.size_bytes for cell in found.cells)
    if found.tokens is not None:
        layout["max_total_num_tokens"] = found.tokens.full
        if found.tokens.window is not None:
            layout["swa_max_total_num_tokens"] = found.tokens.window
    if found.requests is not None:
        layout["max_running_requests"] = found.requests.count
    if host is not None:
        layout |= {"host_state_slots": host.slots, "host_kv_tokens": host.tokens}
        layout |= {"host_state_bytes": host.state_bytes, "host_kv_bytes": host.kv_bytes}
    return layout


def _state(found: Start) -> tuple[StateTensor, ...]:
    """The tensors of one slot on the first rank, layer by layer."""
    slot = found.slot
    if slot is None:
        return ()
    *conv_names, temporal_name = slot.shape.names
    tensors: list[tuple[str, tuple[int, ...], DType]] = [
        (name, shape, slot.conv) for name, shape in zip(conv_names, slot.shape.conv, strict=True)
    ]
    tensors.append((temporal_name, slot.shape.temporal, slot.temporal))
    layers = [layer for layer in found.layers.state if layer in found.stages[0]]
    return tuple(
        StateTensor(layer, name, shape, dtype) for layer in layers for name, shape, dtype in tensors
    )


def _first_rank_bytes(found: Start) -> int:
    if found.slot is None:
        return 0
    return found.slot.layer_bytes * found.layers.state_on(found.stages[0])


def _key_values(found: Start) -> KeyValueBytes:
    """KV of one request on the first rank; windows without a pool of their own grow on."""
    if not found.cells or found.launch is None:
        return KeyValueBytes(0, 0, 0)
    cell, context = found.cells[0], found.launch.context
    token, window = cell.key + cell.value + cell.index, found.window or 0
    return KeyValueBytes(
        token, cell.window * window, token * context + cell.window * min(context, window)
    )


def _capacity(found: Start) -> Capacity:
    """Requests that run at once; at the context asked for, where one was asked for."""
    question = found.question
    context = found.launch.context if found.launch else question.context
    available = int(found.split.rest_gib * GIB) if found.split else None
    if found.refusal is not None:
        return Capacity(available, 0 if found.memory else None, _refused_by(found), context)
    most = running(found)
    if most is None or found.launch is None or found.requests is None or found.tokens is None:
        return Capacity(available, None, None, context)
    held = most < found.requests.count * found.launch.workers
    tokens = found.tokens.full * found.launch.workers if has_kv(found) else None
    return Capacity(available, most, "kv" if held else _limited_by(found), context, tokens=tokens)


def _refused_by(found: Start) -> LimitedBy | None:
    codes: dict[str, LimitedBy] = {
        "no-room-for-state": "state",
        "no-room-for-kv": "memory",
        "no-kv-tokens": "kv",
        "no-request-fits": "slots",
    }
    return codes.get(found.refusal.code) if found.refusal else None


def _limited_by(found: Start) -> LimitedBy:
    requests, tokens = found.requests, found.tokens
    assert requests is not None and tokens is not None  # noqa: S101, PT018 - the caller has looked
    if requests.capped_by_slots:
        return "slots"
    by_kv = requests.count == tokens.full // 2 and has_kv(found)
    return "kv" if by_kv else "max_num_seqs"


def _host(found: Start) -> HostTier | None:
    slots, tokens, launch = found.slots, found.tokens, found.launch
    if launch is None or (slots is None and tokens is None):
        return None
    return host_tier(
        found.question.settings,
        slots=slots or 0,
        slot_bytes=_first_rank_bytes(found),
        tokens=tokens.full if tokens else 0,
        token_bytes=found.cells[0].full if found.cells else 0,
        page_size=launch.page_size,
    )


def _host_findings(host: HostTier | None) -> tuple[Finding, ...]:
    if host is None:
        return ()
    finding = Finding(
        Level.INFO,
        "host-memory",
        f"HiCache takes {host.size_bytes / 1e9:.2f} GB of host memory for each rank:"
        f" {host.slots} states of {host.slot_bytes} B ({host.state_bytes / 1e9:.2f} GB) and"
        f" {host.tokens} tokens ({host.kv_bytes / 1e9:.2f} GB)",
        "the host must have that for all ranks and 10 GiB to spare; set --hicache-size otherwise",
    )
    return (finding,)


def _options(found: Start) -> dict[str, Setting]:
    """What was given, and what SGLang made of the rest."""
    options = dict(found.question.settings.given())
    launch, fraction = found.launch, found.fraction
    if launch is None:
        return options
    resolved: dict[str, Any] = {
        "mamba_radix_cache_strategy": launch.strategy.name,
        "disable_radix_cache": not launch.strategy.radix_cache,
        "disable_overlap_schedule": not launch.strategy.overlap,
        "mamba_full_memory_ratio": launch.memory_ratio,
        "page_size": launch.page_size,
        "context_length": launch.context,
        "max_running_requests": launch.requests,
    }
    if fraction is not None:
        resolved["mem_fraction_static"] = fraction.value
        resolved["chunked_prefill_size"] = fraction.chunk // launch.attention_dp
    for name, value in resolved.items():
        if value is not None and name not in options:
            options[name] = Setting(value, "default")
    if found.dtypes is not None and "mamba_ssm_dtype" not in options:
        options["mamba_ssm_dtype"] = Setting(found.dtypes.temporal.torch_name, found.dtypes.source)
    return options
