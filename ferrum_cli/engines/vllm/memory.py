"""What memory leaves for the cache on each rank, and every byte of a device by its use.

v1/worker/gpu_worker.py and models/kimi_k3/nvidia/kda.py, vLLM 0.33.0: requested = share of the
device; the cache gets what weights and everything else leave. It knows nothing about blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.mixers import MIXERS
from ferrum_cli.engines.vllm.pool import requested_bytes
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import weight_bytes_per_rank

_GIB = 2**30


@dataclass(frozen=True, slots=True)
class Budget:
    """Bytes on each rank."""

    weights: tuple[int, ...]
    records: int
    """RecoverSSM's verify records, on every rank that has such layers."""
    overhead: int
    requested: int | None
    """What vLLM allows itself of the device, None where the pool was given instead."""
    cache_bytes: tuple[int, ...]


def budget(question: Question, config: Configuration, inventory: Inventory) -> Budget | None:
    """The memory of each rank; None where neither a device's memory nor the pool's is known."""
    weights = weights_on_rank(question, config)
    records = record_bytes(config, inventory)
    overhead = question.machine.overhead_bytes
    given = config.settings.value("kv_cache_memory_bytes")
    if given is not None:
        pools = _for_each_rank(given, config.parallel.pp)
        return Budget(weights, records, overhead, None, pools)
    if question.machine.memory_bytes is None:
        return None
    requested = requested_bytes(question.machine.memory_bytes, utilization(config))
    cache = tuple(requested - size - records - overhead for size in weights)
    return Budget(weights, records, overhead, requested, cache)


def utilization(config: Configuration) -> float:
    """The share of a device, by either of its names or the version's default."""
    for name in ("gpu_memory_utilization", "device_memory_utilization"):
        given: float | None = config.settings.value(name)
        if given is not None:
            return given
    return config.rules.gpu_memory_utilization


def weights_on_rank(question: Question, config: Configuration) -> tuple[int, ...]:
    """Bytes of weights on each rank, less what --cpu-offload-gb leaves in host memory."""
    sizes = _loaded(question, config)
    offloaded = int(config.settings.value("cpu_offload_gb") * _GIB)
    return tuple(max(0, size - offloaded) for size in sizes)


def _loaded(question: Question, config: Configuration) -> tuple[int, ...]:
    """Bytes of weights on each rank; replicas share the routed experts, as ranks of one group.

    vLLM 0.32.0, model_executor/layers/fused_moe/config.py: experts split over tp × dp ranks, by
    columns or, with --enable-expert-parallel, whole ones.
    """
    description, parallel = question.model.description, config.parallel
    sizes = question.weights.bytes_per_rank
    if parallel == question.parallel and parallel.dp == 1:
        return sizes
    apart = weight_bytes_per_rank(description, parallel)
    shared = weight_bytes_per_rank(description, parallel, parallel.tp * parallel.dp)
    if parallel != question.parallel:
        return shared
    return tuple(size - less + more for size, less, more in zip(sizes, apart, shared, strict=True))


def record_bytes(config: Configuration, inventory: Inventory) -> int:
    """RecoverSSM's records beside the pool, from 0.33 on, of the rank with most layers.

    layers × max_num_seqs × heads/tp × (1 + drafts) × head_dim × (4 + 2·itemsize).
    """
    if not config.records_kept or config.rules.records_in_page:
        return 0
    window = 1 + config.speculation.tokens
    each = config.batching.max_num_seqs.value * window * (4 + 2 * config.model_dtype.size_bytes)
    return sum(
        max(counted.layers) * each * _inner(counted.placed.block) // config.tp
        for counted in inventory.state
        if MIXERS[counted.placed.block.kind].matrix_dtype == "kda"
    )


def _inner(block: object) -> int:
    heads: int = getattr(block, "num_heads", 0)
    dim: int = getattr(block, "head_dim", 0)
    return heads * dim


def _for_each_rank(given: Sequence[int], ranks: int) -> tuple[int, ...]:
    if len(given) == 1:
        return tuple(given) * ranks
    if len(given) != ranks:
        raise UsageError(
            f"{len(given)} sizes for {ranks} pipeline ranks",
            hint="give one size, or one for each rank",
            where="--set kv_cache_memory_bytes",
        )
    return tuple(given)
