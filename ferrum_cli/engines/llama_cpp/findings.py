"""Findings: what llama.cpp does that a reader may overlook, with stable codes.

It knows nothing about how the bytes come about.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.blocks import KeyValue
from ferrum_cli.engines._engine import Capacity
from ferrum_cli.engines.llama_cpp.capacity import longest_ctx_size, room_of
from ferrum_cli.engines.llama_cpp.checkpoints import host_memory
from ferrum_cli.engines.llama_cpp.launch import DEFAULT_SLOTS, padded
from ferrum_cli.engines.llama_cpp.options import VERSION
from ferrum_cli.engines.llama_cpp.requirement import Deployment
from ferrum_cli.quantity import format_bytes
from ferrum_cli.report import Finding, Level

_WRITTEN_CONTEXT = 2**20
_EXTERNAL_DRAFTS = ("draft-simple", "draft-eagle3", "draft-dflash", "draft-dspark")


def findings(deployment: Deployment, found: Capacity) -> tuple[Finding, ...]:
    """Everything to be said about a model that llama.cpp has."""
    return (
        *_version(deployment),
        *_architecture(deployment),
        *_weights(deployment),
        *_slots(deployment, found),
        *_speculation(deployment),
        *_context(deployment),
        *_caches(deployment),
        *_devices(deployment),
        *_host(deployment),
        *_memory(deployment),
        *_log(deployment),
    )


def _version(deployment: Deployment) -> Iterator[Finding]:
    version = deployment.question.version
    if version != VERSION:
        yield Finding(
            Level.WARNING,
            "version-not-known",
            f"the rules are those of llama.cpp {VERSION}, not of {version}",
            f"use --engine-version {VERSION}, or check the figures against your log",
        )


def _architecture(deployment: Deployment) -> Iterator[Finding]:
    if not deployment.architecture.classes:
        yield Finding(
            Level.INFO,
            "architecture-not-named",
            "the description names no architecture: layers are laid out by the common rules",
            "name the Hugging Face class in 'architecture'",
        )


def _weights(deployment: Deployment) -> Iterator[Finding]:
    if not deployment.weights.known:
        yield Finding(
            Level.WARNING,
            "weights-unknown",
            "the file has no tensors: its weights count as nothing, and fewer requests fit",
            "plan the whole file",
        )


def _slots(deployment: Deployment, found: Capacity) -> Iterator[Finding]:
    launch, question = deployment.launch, deployment.question
    context = deployment.context(launch.sizes())
    if launch.default_slots and context.state_bytes:
        each = format_bytes(context.state_bytes // launch.slots)
        yield Finding(
            Level.INFO,
            "four-slots-by-default",
            f"llama-server makes {DEFAULT_SLOTS} slots over one unified cache: it reserves"
            f" {format_bytes(context.state_bytes)} of state, {each} for each, used or not",
            "use --parallel 1 for one user",
        )
    replicas = question.parallel.dp
    if question.requests > launch.slots * replicas:
        yield Finding(
            Level.WARNING,
            "more-requests-than-slots",
            f"{question.requests} requests wait for {launch.slots * replicas} slots",
            f"use --parallel {-(-question.requests // replicas)}",
        )
    if found.max_requests is not None and found.high != found.low:
        yield Finding(
            Level.INFO,
            "capacity-is-an-interval",
            f"{found.low} slots surely fit and {found.high} may: compute buffers are not known"
            " exactly",
            "compare with the line 'compute buffer size' of a start",
        )


def _speculation(deployment: Deployment) -> Iterator[Finding]:
    launch = deployment.launch
    context = deployment.context(launch.sizes())
    if launch.snapshots and context.state_bytes:
        one = context.state_bytes // (1 + launch.snapshots)
        yield Finding(
            Level.WARNING,
            "speculation-multiplies-state",
            f"{launch.snapshots} rollback snapshots make {1 + launch.snapshots} times the state:"
            f" {format_bytes(context.state_bytes)} instead of {format_bytes(one)}",
            "lower --spec-draft-n-max",
        )
    if launch.asked_snapshots > launch.snapshots:
        yield Finding(
            Level.WARNING,
            "rollback-not-supported",
            f"{deployment.architecture.name} has no rollback of state: n_rs_seq"
            f" {launch.asked_snapshots} becomes 0, and rejected tokens are undone from checkpoints"
            " in host memory",
            "expect little from speculation with this model",
        )
    external = [kind for kind in launch.speculation if kind in _EXTERNAL_DRAFTS]
    if external or launch.draft_model is not None:
        yield Finding(
            Level.WARNING,
            "draft-model-not-planned",
            f"the draft model of {', '.join(external) or 'MTP'} is not in these figures",
            "plan its file by itself and add the two",
        )


def _context(deployment: Deployment) -> Iterator[Finding]:
    launch, question = deployment.launch, deployment.question
    sizes = launch.sizes()
    stated = question.settings.value("ctx_size") or question.context_given
    if not stated and launch.training_context == _WRITTEN_CONTEXT and deployment.inventory.caches:
        yield Finding(
            Level.WARNING,
            "context-of-a-million",
            "the converter writes a context of 1,048,576 for this architecture, which is taken"
            f" where --ctx-size is not given: {format_bytes(deployment.context(sizes).kv_bytes)} of"
            " KV",
            "give --ctx-size",
        )
    if sizes.n_ctx > padded(launch.asked_context):
        yield Finding(
            Level.INFO,
            "context-rounded-up",
            f"{launch.asked_context} tokens over {sizes.slots} slots become {sizes.n_ctx}, though"
            " the log says 'rounding down'",
            f"use a multiple of {256 * sizes.slots}",
        )
    if question.context_given and question.settings.value("ctx_size"):
        each = sizes.n_ctx // sizes.slots
        if each != padded(question.context):
            yield Finding(
                Level.WARNING,
                "context-contradicted",
                f"ctx_size {launch.asked_context} counts, which is {each} tokens for each of"
                f" {sizes.slots} slots, not --context {question.context}",
                "give one of them",
            )


def _caches(deployment: Deployment) -> Iterator[Finding]:
    launch, found = deployment.launch, deployment.inventory
    if launch.transposed_v and any(0 < x.v < found.widest_v for x in found.caches):
        yield Finding(
            Level.WARNING,
            "values-padded",
            "without flash attention the values of every layer are as wide as the widest,"
            f" {found.widest_v}",
            "use --flash-attn on",
        )
    model = deployment.question.model
    windows = {
        cache.window
        for layer in model.layers
        for _, cache in layer.caches
        if isinstance(cache, KeyValue) and cache.window
    }
    if windows and not deployment.architecture.windows:
        yield Finding(
            Level.WARNING,
            "window-ignored",
            f"{deployment.architecture.name} keeps the whole context in layers with a sliding"
            f" window of {max(windows)} tokens",
        )


def _devices(deployment: Deployment) -> Iterator[Finding]:
    settings = deployment.question.settings
    parallel = deployment.question.parallel
    mode = settings.value("split_mode")
    if settings.value("override_tensor"):
        yield Finding(
            Level.WARNING,
            "override-tensor-not-planned",
            "--override-tensor moves weights that these figures leave where they were",
            "use --n-cpu-moe for experts in host memory",
        )
    if mode in {"row", "tensor"} or parallel.tp > 1:
        yield Finding(
            Level.WARNING,
            "split-mode-not-measured",
            f"--split-mode {'row' if mode == 'row' else 'tensor'} was not measured: tensors are"
            " taken to divide evenly",
            "check against the log, or use --split-mode layer",
        )
    if deployment.placement.caches_on_host:
        yield Finding(
            Level.INFO,
            "state-on-host",
            "without KV offload recurrent state lies in host memory, too, not only KV",
            "leave --no-kv-offload out to have both on the device",
        )


def _host(deployment: Deployment) -> Iterator[Finding]:
    sizes, settings = deployment.launch.sizes(), deployment.question.settings
    context, draft = deployment.context(sizes), deployment.draft(sizes)
    found = host_memory(settings, deployment.inventory, deployment.launch, context, draft)
    if found.all_checkpoints_bytes:
        each = found.checkpoint_bytes + found.draft_bytes
        yield Finding(
            Level.WARNING,
            "checkpoints-in-host-memory",
            f"{found.checkpoints} context checkpoints of {format_bytes(each)} can take"
            f" {format_bytes(found.all_checkpoints_bytes)} of host memory, in no breakdown",
            "lower --ctx-checkpoints, or raise --checkpoint-min-step",
        )
    if found.prompt_cache_bytes is None:
        yield Finding(
            Level.WARNING,
            "prompt-cache-unlimited",
            "--cache-ram -1 lets the prompt cache grow without limit,"
            f" {format_bytes(found.prompt_entry_bytes)} for each whole context",
            "give --cache-ram in MiB",
        )


def _memory(deployment: Deployment) -> Iterator[Finding]:
    """What `--fit` will do where the start does not fit as it is set."""
    room, launch = room_of(deployment), deployment.launch
    if room.memory_bytes is None or not launch.fits:
        return
    sizes = launch.sizes()
    if room.holds(deployment, sizes, surely=True):
        return
    low, high = (
        longest_ctx_size(deployment, sizes.slots, launch.asked_context, surely=surely)
        for surely in (True, False)
    )
    stated = deployment.question.settings.value("ctx_size") or deployment.question.context_given
    if stated or high == 0:
        yield Finding(
            Level.WARNING,
            "fit-moves-layers",
            f"{sizes.slots} slots of {sizes.n_ctx_seq} tokens may not fit: --fit moves layers to"
            " the host, which is slow",
            "lower --ctx-size or --parallel",
        )
        return
    yield Finding(
        Level.WARNING,
        "fit-shortens-context",
        f"{sizes.n_ctx} tokens do not fit beside {sizes.slots} slots: --fit lowers --ctx-size to"
        f" between {low} and {high}, less its margin",
        "give --ctx-size to have it in your hand",
    )


def _log(deployment: Deployment) -> Iterator[Finding]:
    found = deployment.inventory
    yield Finding(
        Level.INFO,
        "sizes-hidden",
        "llama-server prints the sizes of its buffers from -lv 4 on",
        "start it with -lv 4 to compare",
    )
    if found.state and len(found.state) != found.layers:
        yield Finding(
            Level.INFO,
            "log-counts-all-layers",
            f"the log's line of state says {found.layers} layers, which are all of the model;"
            f" {len(found.state)} hold state",
        )
