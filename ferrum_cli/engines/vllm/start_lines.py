"""The lines that a start will print, in the order in which vLLM comes to them.

Only lines whose numbers a plan knows; what is measured on the device is not among them. It knows
nothing about the lines' texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ferrum_cli.engines._engine import LogLine
from ferrum_cli.engines.vllm import prefix_cache
from ferrum_cli.engines.vllm.alignment import Alignment
from ferrum_cli.engines.vllm.groups import Grouping
from ferrum_cli.engines.vllm.log_lines import gib, write
from ferrum_cli.engines.vllm.start import Start
from ferrum_cli.engines.vllm.states import runs_flashkda

_MIB, _GIB = 2**20, 2**30
_GDN_KERNELS = {"flashinfer": "FlashInfer", "cutedsl": "CuteDSL", "triton": "Triton/FLA"}


def start_lines(found: Start) -> tuple[LogLine, ...]:
    """Every line, as far as the start gets."""
    outcome = found.outcome
    lines = [*_configured(found)]
    if outcome.alignment is not None and outcome.inventory.model_type == "hybrid":
        lines += _aligned(found, outcome.alignment)
    if outcome.alignment is not None:
        lines += _kernels(found)
    if outcome.grouping is not None:
        lines += _sized(found, outcome.grouping)
    return tuple(lines)


def _configured(found: Start) -> Iterator[LogLine]:
    config, version = found.config, found.config.version
    yield from write(version, "max_model_len", tokens=config.max_model_len)
    batched = config.batching.max_num_batched_tokens
    known = batched.source != "default" or found.question.machine.memory_bytes is not None
    if known and config.settings.value("enable_chunked_prefill") is not False:
        yield from write(version, "chunked_prefill", tokens=batched.value)
    if config.kv_dtype_source.source == "default" and config.kv_dtype_source.value != "auto":
        yield from write(version, "glm_fp8_kv")
    elif config.kv_dtype.quantized:
        per_head = config.kv_dtype.packing in ("scaled", "half_scaled")
        key = "kv_cache_dtype_per_head" if per_head else "kv_cache_dtype"
        yield from write(version, key, dtype=config.kv_dtype_source.value)
    if found.outcome.inventory.state:
        yield from _modes(found)


def _modes(found: Start) -> Iterator[LogLine]:
    config, version = found.config, found.config.version
    asked = config.settings.value("mamba_cache_mode")
    if asked is not None and config.rules.mode_option == "inert":
        yield from write(version, "mamba_cache_mode_inert")
    name = found.question.model.description.architecture or "unnamed"
    by_default = asked in (None, "none") or config.rules.mode_option == "inert"
    if config.mode != "none" and by_default:
        yield from write(version, "mamba_cache_mode", mode=config.mode, architecture=name)
    if config.mode == "none" and asked in ("align", "all"):
        yield from write(version, "mamba_cache_mode_off")
    automatic = config.settings.value("mamba_ssm_cache_dtype") == "auto"
    if config.architecture.ssm_dtype == "mamba_ssm_cache_dtype" and automatic:
        yield from write(version, "nemotron_ssm_dtype", dtype=config.ssm_dtype_option.value)


def _aligned(found: Start, alignment: Alignment) -> Iterator[LogLine]:
    version, block = found.config.version, alignment.block_size
    if block > alignment.block_size_before:
        yield from write(version, "attention_block_size", tokens=block)
    if alignment.padded_page_bytes is not None and alignment.state_bytes:
        padding = alignment.padded_page_bytes - alignment.state_bytes
        percent = 100 * padding / alignment.state_bytes
        yield from write(version, "mamba_page_padding", percent=percent)


def _kernels(found: Start) -> Iterator[LogLine]:
    config, version = found.config, found.config.version
    placed = [counted.placed for counted in found.outcome.inventory.state]
    gdn = next((p.block for p in placed if p.block.kind == "gated_delta_net"), None)
    if gdn is not None and config.architecture.flashinfer_prefill:
        kernel = _GDN_KERNELS[config.gdn_prefill]
        asked = config.settings.value("gdn_prefill_backend") or "auto"
        width = getattr(gdn, "key_head_dim", 0)
        yield from write(version, "gdn_prefill", kernel=kernel, asked=asked, width=width)
    if any(runs_flashkda(one, config) for one in placed):
        yield from write(version, "kda_prefill")
    budget = found.outcome.budget
    if budget is not None and budget.records:
        requests = config.batching.max_num_seqs.value
        size = budget.records
        numbers = {"gib": size / _GIB, "requests": requests, "mib": size / requests / _MIB}
        yield from write(version, "recoverssm_records", **numbers)


def _sized(found: Start, grouping: Grouping) -> Iterator[LogLine]:
    config, version = found.config, found.config.version
    budget, pool = found.outcome.budget, found.outcome.pool
    for group in grouping.groups:
        if group.padding_layers:
            percent = group.padding_layers / group.layers * 100
            yield from write(
                version, "padding_layers", layers=group.padding_layers, percent=percent
            )
    yield from write(version, "kv_cache_layout", layout=config.kv_layout)
    if budget is not None and budget.requested is not None:
        yield from write(version, "available_memory", gib=gib(min(budget.cache_bytes)))
    if pool is None or pool.num_blocks is None or pool.available_bytes is None:
        return
    if config.auto_length:
        yield from _fitted(found, pool.max_model_len, min(pool.available_bytes))
    override = config.settings.value("num_gpu_blocks_override")
    if override is not None and budget is not None:
        for room, size in zip(budget.cache_bytes, grouping.block_bytes, strict=True):
            numbers = {"blocks": max(0, room) // size if size else 0, "override": override}
            yield from write(version, "num_gpu_blocks_override", **numbers)
    yield from _capacity(found)
    if sum(group.count for group in grouping.groups) > 1:
        sizes = prefix_cache.block_sizes(grouping, config)
        yield from write(version, "group_block_sizes", sizes=", ".join(map(str, sizes)))
        yield from write(version, "common_block_size", tokens=math.lcm(*sizes))


def _fitted(found: Start, fitting: int, room: int) -> Iterator[LogLine]:
    version, asked = found.config.version, found.config.max_model_len
    if fitting == asked:
        yield from write(version, "auto_length_full", tokens=asked, gib=gib(room))
        return
    numbers = {"asked": asked, "tokens": fitting, "gib": gib(room)}
    yield from write(version, "auto_length_reduced", **numbers)


def _capacity(found: Start) -> Iterator[LogLine]:
    """The lines that everyone reads; vLLM exits before them where memory is too small."""
    if found.outcome.refusal is not None and found.outcome.refusal.code in _BEFORE_CAPACITY:
        return
    version, pool = found.config.version, found.outcome.pool
    numbers = {
        "tokens": found.limits.kv_cache_size_tokens or 0,
        "length": pool.max_model_len if pool else 0,
        "concurrency": found.limits.max_concurrency or 0.0,
    }
    yield from write(version, "kv_cache_size", **numbers)
    yield from write(version, "max_concurrency", **numbers)


_BEFORE_CAPACITY = ("no-cache-memory", "max-model-len-exceeds-memory")
