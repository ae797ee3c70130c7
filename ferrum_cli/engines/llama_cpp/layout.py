"""A deployment as llama.cpp's own layout figures, and its state in the contract's terms.

Keys are those that scripts read; those ending in `_per_rank` have one entry for each device. It
knows nothing about how the bytes come about.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import KeyValueBytes, StateTensor
from ferrum_cli.engines.llama_cpp.buffers import Interval, output_bytes
from ferrum_cli.engines.llama_cpp.capacity import context_of_slot
from ferrum_cli.engines.llama_cpp.checkpoints import checkpoint_bytes
from ferrum_cli.engines.llama_cpp.context import token_bytes
from ferrum_cli.engines.llama_cpp.inventory import CacheKind
from ferrum_cli.engines.llama_cpp.placement import HOST
from ferrum_cli.engines.llama_cpp.requirement import Deployment


def layout(deployment: Deployment) -> dict[str, Any]:
    """Every key, for the slots and the context that are set."""
    launch = deployment.launch
    sizes = launch.sizes()
    context, draft = deployment.context(sizes), deployment.draft(sizes)
    shares, compute = deployment.shares(sizes), deployment.compute_terms(sizes).interval
    drafts = deployment.draft_compute_terms(sizes)
    draft_compute = drafts.interval if drafts else Interval(0, 0)
    devices = [shares[device] for device in sorted(shares) if device != HOST]
    return {
        "rs_bytes_R": context.r_bytes,
        "rs_bytes_S": context.s_bytes,
        "rs_bytes_P": context.p_bytes,
        "rs_cells": context.cells,
        "n_rs_seq": launch.snapshots,
        "recurrent_layers": [layer for layer, *_ in context.state_layers],
        "kv_bytes": context.kv_bytes,
        "kv_caches": {
            cache.kind.value: {
                "cells": cache.cells,
                "streams": cache.streams,
                "layers": [layer for layer, _, _ in cache.layers],
                "k_bytes": cache.k_bytes,
                "v_bytes": cache.v_bytes,
            }
            for cache in context.caches
        },
        "draft_kv_bytes": draft.kv_bytes if draft else 0,
        "n_ctx_effective": sizes.n_ctx,
        "n_ctx_seq": sizes.n_ctx_seq,
        "checkpoint_bytes": checkpoint_bytes(deployment.inventory, launch),
        "output_buffer_bytes": output_bytes(deployment.question.model, sizes),
        "compute_buffer_bytes": {"low": compute.low, "high": compute.high},
        "draft_compute_buffer_bytes": {"low": draft_compute.low, "high": draft_compute.high},
        "weights_bytes_per_rank": [share.weights for share in devices],
        "rs_bytes_per_rank": [share.state for share in devices],
        "kv_bytes_per_rank": [share.kv for share in devices],
        "host_bytes": shares[HOST].total,
    }


def state_tensors(deployment: Deployment) -> tuple[StateTensor, ...]:
    """The tensors of one slot: a row, and one for each snapshot."""
    rows = 1 + deployment.launch.snapshots
    return tuple(
        StateTensor(layer.index, name, (rows, width), DType.FP32)
        for layer in deployment.inventory.state
        for name, width in (
            ("cache_r", layer.r),
            ("cache_s", layer.s),
            ("cache_ple_r", layer.p),
        )
        if width
    )


def key_values(deployment: Deployment) -> KeyValueBytes:
    """Caches of one slot alone, with the context it is to hold."""
    launch, found = deployment.launch, deployment.inventory
    context = deployment.context(launch.sizes(1, context_of_slot(deployment)))
    growing = [x for x in found.caches if x.kind is not CacheKind.WINDOW or launch.swa_full]
    windows = (c.size_bytes for c in context.caches if c.kind is CacheKind.WINDOW)
    return KeyValueBytes(
        bytes_per_token=sum(token_bytes(x, launch, found.widest_v) for x in growing),
        window_bytes=0 if launch.swa_full else sum(windows),
        bytes_at_context=context.kv_bytes,
    )
