"""What sizes a start to the requests asked about, and the changes that may let more of them run.

It says what to try, cheapest first, not what a change reaches. It knows nothing about how llama.cpp
gets from flags to bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ferrum_cli.engines._engine import Capacity, Change
from ferrum_cli.engines._options import Setting, Settings
from ferrum_cli.engines.llama_cpp.cache_types import TYPES
from ferrum_cli.engines.llama_cpp.capacity import context_of_slot, largest_parallel, room_of
from ferrum_cli.engines.llama_cpp.devices import splits_tensors
from ferrum_cli.engines.llama_cpp.launch import settle
from ferrum_cli.engines.llama_cpp.options import MAX_SEQUENCES, OPTIONS
from ferrum_cli.engines.llama_cpp.refusals import first_refusal
from ferrum_cli.engines.llama_cpp.requirement import Deployment

_SMALLER_TYPES = {"q8_0": "keys and values in 8 bits", "q4_0": "keys and values in 4 bits"}
_SMALLER_BATCHES = (256, 128, 64)
_NO_DRAFTS: Mapping[str, None] = dict.fromkeys(("spec_type", "n_rs_seq"))


def sizing(deployment: Deployment, found: Capacity) -> dict[str, Any]:
    """Slots and context for the requests asked about, or for as many as fit.

    Slots have caches of their own, unless that was set otherwise or the model cannot have it.
    """
    question, context = deployment.question, context_of_slot(deployment)
    if room_of(deployment).memory_bytes is None and not question.requests_given:
        return {}
    wanted = question.requests if question.requests_given else max(1, found.max_requests or 0)
    slots = min(MAX_SEQUENCES, -(-wanted // question.parallel.dp))
    unified = bool(question.settings.value("kv_unified"))
    for shared in dict.fromkeys((unified, True)):
        options = _fitting(deployment, slots, context, shared=shared)
        if options:
            return options
    return {}


def changes(deployment: Deployment) -> tuple[Change, ...]:
    """What else may help."""
    return (
        *_batches(deployment),
        *_without_drafts(deployment),
        *_types(deployment),
        *_on_the_host(deployment),
    )


def _fitting(deployment: Deployment, slots: int, context: int, *, shared: bool) -> dict[str, Any]:
    """The options of as many of these slots as fit, or none where that cannot start."""
    sized = _sized(deployment, slots, context, shared=shared)
    most = min(slots, largest_parallel(sized, context, surely=True))
    if not most:
        return {}
    sized = _sized(deployment, most, context, shared=shared)
    tensor = splits_tensors(sized.question)
    model, architecture = sized.question.model, sized.architecture
    if first_refusal(model, architecture, sized.inventory, sized.launch, tensor) is not None:
        return {}
    sharing = {"kv_unified": True} if shared else {}
    return {"parallel": most, "ctx_size": sized.launch.sizes().n_ctx, **sharing}


def _sized(deployment: Deployment, slots: int, context: int, *, shared: bool) -> Deployment:
    options = {"parallel": slots, "ctx_size": slots * context, "kv_unified": shared}
    given = {n: Setting(v, "flag") for n, v in options.items()}
    question = deployment.question
    settings = Settings(OPTIONS, {**question.settings.given(), **given})
    question = replace(question, settings=settings)
    launch = settle(question, deployment.architecture)
    return Deployment(question, deployment.architecture, launch)


def _batches(deployment: Deployment) -> Iterator[Change]:
    """Compute buffers grow with the tokens of one graph."""
    now = deployment.launch.ubatch
    steps = tuple({"ubatch_size": size} for size in _SMALLER_BATCHES if size < now)
    if steps:
        yield Change(price="prompts are read in smaller pieces", steps=steps)


def _without_drafts(deployment: Deployment) -> Iterator[Change]:
    if deployment.launch.snapshots or deployment.draft_inventory is not None:
        yield Change(price="slower decoding, without drafts", steps=(_NO_DRAFTS,))


def _types(deployment: Deployment) -> Iterator[Change]:
    """Smaller types of KV than those that are set."""
    widest = max(deployment.launch.type_k.row_bytes(256), deployment.launch.type_v.row_bytes(256))
    for name, price in _SMALLER_TYPES.items():
        if deployment.inventory.caches and TYPES[name].row_bytes(256) < widest:
            options = {"cache_type_k": name, "cache_type_v": name}
            yield Change(price=price, steps=(options,))


def _on_the_host(deployment: Deployment) -> Iterator[Change]:
    """Experts of more and more layers, then whole layers."""
    settings, layers = deployment.question.settings, deployment.inventory.all_layers
    if any(deployment.weights.experts) and not settings.value("cpu_moe"):
        counts = range(settings.value("n_cpu_moe") + 1, layers + 1)
        steps = tuple({"n_cpu_moe": count} for count in counts)
        if steps:
            yield Change(price="experts on the host: slower decoding", steps=steps)
    given = settings.value("n_gpu_layers")
    most = given if isinstance(given, int) and given >= 0 else layers + 1
    steps = tuple({"n_gpu_layers": kept} for kept in range(min(most, layers + 1) - 1, 0, -1))
    if steps:
        yield Change(price="layers on the host: much slower", steps=steps)
