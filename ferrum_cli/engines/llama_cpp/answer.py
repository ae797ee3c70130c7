"""A question to llama.cpp, answered: settle the options, lay out, refuse or count.

It knows nothing about the arithmetic of its parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import (
    Answer,
    Capacity,
    Change,
    KeyValueBytes,
    Question,
    StateTensor,
)
from ferrum_cli.engines._options import Setting
from ferrum_cli.engines.llama_cpp.advice import changes, sizing
from ferrum_cli.engines.llama_cpp.architectures import architecture_of
from ferrum_cli.engines.llama_cpp.buffers import output_bytes
from ferrum_cli.engines.llama_cpp.capacity import capacity, context_of_slot
from ferrum_cli.engines.llama_cpp.checkpoints import checkpoint_bytes
from ferrum_cli.engines.llama_cpp.context import token_bytes
from ferrum_cli.engines.llama_cpp.devices import splits_tensors
from ferrum_cli.engines.llama_cpp.figures import figures
from ferrum_cli.engines.llama_cpp.findings import findings
from ferrum_cli.engines.llama_cpp.inventory import CacheKind
from ferrum_cli.engines.llama_cpp.launch import settle
from ferrum_cli.engines.llama_cpp.lines_of_memory import memory_lines
from ferrum_cli.engines.llama_cpp.options import OPTIONS
from ferrum_cli.engines.llama_cpp.out_of_memory import OUT_OF_MEMORY, out_of_memory
from ferrum_cli.engines.llama_cpp.placement import HOST
from ferrum_cli.engines.llama_cpp.refusals import Refusal, first_refusal, not_supported
from ferrum_cli.engines.llama_cpp.requirement import Deployment
from ferrum_cli.engines.llama_cpp.start_lines import start_lines
from ferrum_cli.report import Finding, Level

DTYPE_RULE = "f32 always: no option changes the type of state"


def answer(question: Question) -> Answer:
    """Answer for llama.cpp. Raises ShardingError for a split it has not, UsageError for no slot."""
    architecture = architecture_of(question.model)
    if architecture is None:
        return _unsupported(question, not_supported(question.model))
    launch = settle(question, architecture)
    deployment = Deployment(question, architecture, launch)
    tensor = splits_tensors(question)
    refusal = first_refusal(question.model, architecture, deployment.inventory, launch, tensor)
    refusal = refusal or out_of_memory(deployment)
    found = capacity(deployment)
    if refusal is not None:
        found = replace(found, max_requests=None, low=None, high=None, limited_by=None)
    return Answer(
        engine="llama.cpp",
        version=question.version,
        layout=_layout(deployment),
        state=_state(deployment),
        bytes_per_slot=sum(tensor.size_bytes for tensor in _state(deployment)),
        dtype_source=DTYPE_RULE,
        kv=_kv(deployment),
        capacity=found,
        memory=memory_lines(deployment),
        figures=figures(deployment, found),
        findings=(*_refused(refusal), *findings(deployment, found)),
        log_lines=start_lines(deployment),
        sizing=sizing(deployment, found),
        changes=_changes(deployment, refusal),
        spread=("pp",),
        refusal=refusal.words if refusal else None,
        options=_options(question),
        reasons=_reasons(deployment),
    )


def _changes(deployment: Deployment, refusal: Refusal | None) -> tuple[Change, ...]:
    """Only memory can be helped."""
    if refusal is not None and refusal.code != OUT_OF_MEMORY:
        return ()
    return changes(deployment)


def _unsupported(question: Question, refusal: Refusal) -> Answer:
    return Answer(
        engine="llama.cpp",
        version=question.version,
        layout={},
        state=(),
        bytes_per_slot=0,
        dtype_source=DTYPE_RULE,
        kv=KeyValueBytes(0, 0, 0),
        capacity=Capacity(None, None, None, question.context),
        findings=_refused(refusal),
        refusal=refusal.words,
        options=_options(question),
    )


def _refused(refusal: Refusal | None) -> tuple[Finding, ...]:
    if refusal is None:
        return ()
    return (Finding(Level.ERROR, refusal.code, refusal.words, refusal.hint),)


def _options(question: Question) -> dict[str, Setting]:
    return {option.name: question.settings[option.name] for option in OPTIONS}


def _layout(deployment: Deployment) -> dict[str, Any]:
    launch = deployment.launch
    sizes = launch.sizes()
    context, draft = deployment.context(sizes), deployment.draft(sizes)
    shares, compute = deployment.shares(sizes), deployment.compute(sizes)
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
        "weights_bytes_per_rank": [share.weights for share in devices],
        "rs_bytes_per_rank": [share.state for share in devices],
        "kv_bytes_per_rank": [share.kv for share in devices],
        "host_bytes": shares[HOST].total,
    }


def _state(deployment: Deployment) -> tuple[StateTensor, ...]:
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


def _kv(deployment: Deployment) -> KeyValueBytes:
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


def _reasons(deployment: Deployment) -> dict[Any, str]:
    launch = deployment.launch
    return {
        "dtype": f"state f32, K {launch.type_k.name}, V {launch.type_v.name}",
        "padding": "cells rounded up to 256",
        "slots": f"1 a request, {1 + launch.snapshots} states in it",
        "reserved": f"{launch.slots} slots, used or not",
    }
