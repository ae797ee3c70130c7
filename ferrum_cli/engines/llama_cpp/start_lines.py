"""The lines that a start will print, in order, with their values.

Devices are called as CUDA's are, because lines must name them somehow. It knows nothing about how
lines are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ferrum_cli.engines._engine import LogLine
from ferrum_cli.engines.llama_cpp.buffers import output_bytes
from ferrum_cli.engines.llama_cpp.context import Context, KvCache
from ferrum_cli.engines.llama_cpp.inventory import CacheKind, Inventory
from ferrum_cli.engines.llama_cpp.launch import Launch, Sizes, padded
from ferrum_cli.engines.llama_cpp.log_lines import buffer_mib, mib, write
from ferrum_cli.engines.llama_cpp.placement import HOST
from ferrum_cli.engines.llama_cpp.requirement import Deployment


@dataclass(frozen=True, slots=True)
class DeviceNames:
    """What a backend calls its devices, host memory, and host memory that devices can reach."""

    device: str = "CUDA"
    host: str = "CPU"
    shared: str = "CUDA_Host"

    def of(self, device: int) -> str:
        """The name of a device or of the host."""
        return self.host if device == HOST else f"{self.device}{device}"


def start_lines(deployment: Deployment, names: DeviceNames | None = None) -> tuple[LogLine, ...]:
    """Lines of the context, and of a second one for MTP."""
    names = names or DeviceNames()
    launch = deployment.launch
    sizes = launch.sizes()
    lines = [*_context_lines(deployment, sizes)]
    size = buffer_mib(output_bytes(deployment.question.model, sizes))
    lines.append(write("output_buffer", names.shared, size))
    lines += _memory_lines(deployment, deployment.inventory, deployment.context(sizes), names)
    draft = deployment.draft(sizes)
    lines.append(_slots(launch, sizes))
    if draft is not None and deployment.draft_inventory is not None:
        lines += _memory_lines(deployment, deployment.draft_inventory, draft, names, draft=True)
    return tuple(lines)


def _context_lines(deployment: Deployment, sizes: Sizes) -> Iterator[LogLine]:
    launch = deployment.launch
    if launch.asked_snapshots > launch.snapshots:
        yield write("rollback_clamped", launch.asked_snapshots)
    if padded(launch.asked_context) != sizes.n_ctx:
        yield write("context_rounded", sizes.n_ctx)
    yield write("n_seq_max", sizes.slots)
    yield write("n_ctx", sizes.n_ctx)
    yield write("n_ctx_seq", sizes.n_ctx_seq)
    yield write("n_batch", launch.batch)
    yield write("n_ubatch", launch.ubatch)
    yield write("flash_attn", _flash(launch))
    yield write("kv_unified", "true" if launch.unified else "false")
    yield write("n_rs_seq", launch.snapshots)
    if sizes.n_ctx_seq < launch.training_context:
        yield write("context_below_training", sizes.n_ctx_seq, launch.training_context)
    if sizes.n_ctx_seq > launch.training_context:
        yield write("context_beyond_training", sizes.n_ctx_seq, launch.training_context)


def _flash(launch: Launch) -> str:
    """A quantized cache of values turns automatic into enabled."""
    if launch.flash is None and launch.type_v.is_quantized:
        return "enabled"
    return {None: "auto", True: "enabled", False: "disabled"}[launch.flash]


def _memory_lines(
    deployment: Deployment,
    found: Inventory,
    context: Context,
    names: DeviceNames,
    *,
    draft: bool = False,
) -> Iterator[LogLine]:
    """The attention's caches, then state, then an indexer's cache."""
    for cache in context.caches:
        if cache.kind is not CacheKind.INDEXER:
            yield from _cache_lines(deployment, found, cache, names, draft)
    if found.has_state_memory:
        yield from _state_lines(deployment, found, context, names)
    for cache in context.caches:
        if cache.kind is CacheKind.INDEXER:
            yield write("indexer_cache", cache.cells)
            yield from _cache_lines(deployment, found, cache, names, draft)


def _cache_lines(
    deployment: Deployment, found: Inventory, cache: KvCache, names: DeviceNames, draft: bool
) -> Iterator[LogLine]:
    launch = deployment.launch
    windowed = any(layer.kind is CacheKind.WINDOW for layer in found.caches)
    if windowed and cache.kind is not CacheKind.INDEXER:
        full = cache.kind is CacheKind.FULL
        yield write("window_cache_base" if full else "window_cache", cache.cells)
    by_device = _by_device(deployment, {layer: k + v for layer, k, v in cache.layers})
    for device, size in by_device.items():
        yield write("kv_buffer", names.of(device), buffer_mib(size))
    k, v = launch.type_k.name, launch.type_v.name
    if draft:
        k, v = launch.draft_type_k.name, launch.draft_type_v.name
    yield write(
        "kv_size",
        mib(cache.size_bytes),
        cache.cells,
        len(cache.layers),
        launch.slots,
        cache.streams,
        k,
        mib(cache.k_bytes),
        v,
        mib(cache.v_bytes),
    )


def _state_lines(
    deployment: Deployment, found: Inventory, context: Context, names: DeviceNames
) -> Iterator[LogLine]:
    by_device = _by_device(deployment, {i: r + s + p for i, r, s, p in context.state_layers})
    for device, size in by_device.items():
        yield write("state_buffer", names.of(device), buffer_mib(size))
    yield write(
        "state_size",
        mib(context.state_bytes),
        context.cells,
        found.layers,
        deployment.launch.slots,
        deployment.launch.snapshots,
        *("f32", mib(context.r_bytes), "f32", mib(context.s_bytes), "f32", mib(context.p_bytes)),
    )


def _by_device(deployment: Deployment, sizes: Mapping[int, int]) -> dict[int, int]:
    """Bytes on each device, the host first, as buffers are sorted by name."""
    found: dict[int, int] = {}
    for layer, size in sizes.items():
        device = deployment.placement.caches_of(layer)
        found[device] = found.get(device, 0) + size
    return dict(sorted(found.items()))


def _slots(launch: Launch, sizes: Sizes) -> LogLine:
    context = min(sizes.n_ctx_seq, launch.training_context)
    return write("slots", sizes.slots, context, "true" if launch.unified else "false")
