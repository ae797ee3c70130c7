"""The flags that let a number of requests run with a context each, and what makes them fit.

Tried in this order: slots and context alone, smaller types of KV, experts or layers in host memory;
and apart from these more devices. Every proposal is laid out again before it is made. It knows
nothing about how llama.cpp gets from flags to bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ferrum_cli.engines._engine import Capacity
from ferrum_cli.engines._options import Setting, Settings
from ferrum_cli.engines.llama_cpp.cache_types import TYPES
from ferrum_cli.engines.llama_cpp.capacity import context_of_slot, room_of
from ferrum_cli.engines.llama_cpp.options import MAX_SEQUENCES, OPTIONS
from ferrum_cli.engines.llama_cpp.refusals import first_refusal
from ferrum_cli.engines.llama_cpp.requirement import Deployment
from ferrum_cli.report import Finding, Level

_SMALLER_TYPES = ("q8_0", "q4_0")
_DEVICES_TRIED = (2, 4, 8)


@dataclass(frozen=True, slots=True)
class Target:
    """Slots of one server, and the tokens that each is to hold."""

    slots: int
    context: int

    def is_held(self, deployment: Deployment) -> bool:
        """Whether a deployment surely holds it."""
        sizes = deployment.launch.sizes(self.slots, self.context * self.slots)
        return room_of(deployment).holds(deployment, sizes, surely=True)


def flags(deployment: Deployment, found: Capacity) -> tuple[str, ...]:
    """Flags that reach the requests asked for, or as many slots as fit where none were asked for.

    Empty where nothing on the same devices reaches them.
    """
    target = _target(deployment, found)
    if target is None:
        return ()
    further = _reaching(deployment, target)
    return () if further is None else _flags(deployment, target, further)


def advice(deployment: Deployment, found: Capacity) -> Iterator[Finding]:
    """What makes the requests fit where slots and context alone do not."""
    target = _target(deployment, found)
    if target is None or room_of(deployment).memory_bytes is None or target.is_held(deployment):
        return
    slots = "1 slot" if target.slots == 1 else f"{target.slots} slots"
    wanted = f"{slots} of {target.context} tokens"
    further = _reaching(deployment, target)
    devices = _devices(deployment, target)
    if further is not None:
        told = " ".join(_flags(deployment, target, further))
        yield Finding(Level.INFO, "advice", f"{wanted} fit with {told}", "start with these flags")
    if devices is not None:
        message = f"{wanted} fit on {devices} such devices"
        yield Finding(Level.INFO, "advice-devices", message, f"plan it with --pp {devices}")
    if further is None and devices is None:
        message = f"{wanted} fit with no type of KV, nor on up to {_DEVICES_TRIED[-1]} devices"
        yield Finding(
            Level.WARNING, "nothing-makes-it-fit", message, "use fewer --requests or less --context"
        )


def _target(deployment: Deployment, found: Capacity) -> Target | None:
    """As many slots as requests are asked for, or as fit, but at least one."""
    question = deployment.question
    requests = question.requests if question.requests_given else max(1, found.max_requests or 0)
    slots = -(-requests // question.parallel.dp)
    return Target(slots, context_of_slot(deployment)) if slots <= MAX_SEQUENCES else None


def _reaching(deployment: Deployment, target: Target) -> tuple[str, ...] | None:
    """Further flags with which the same devices hold the target; None where none do."""
    if target.is_held(deployment):
        return ()
    for changed, further in _smaller(deployment):
        if target.is_held(changed):
            return further
    return _offloaded(deployment, target)


def _smaller(deployment: Deployment) -> Iterator[tuple[Deployment, tuple[str, ...]]]:
    """Smaller types of KV, where llama.cpp takes them."""
    if deployment.launch.flash is False or not deployment.inventory.caches:
        return
    for name in _SMALLER_TYPES:
        launch = replace(deployment.launch, type_k=TYPES[name], type_v=TYPES[name])
        model, architecture = deployment.question.model, deployment.architecture
        refusal = first_refusal(model, architecture, deployment.inventory, launch, tensor=False)
        if refusal is None:
            further = (f"--cache-type-k {name}", f"--cache-type-v {name}")
            yield replace(deployment, launch=launch), further


def _offloaded(deployment: Deployment, target: Target) -> tuple[str, ...] | None:
    """As few experts in host memory as will do, or as many layers on the devices as fit."""
    layers = deployment.inventory.all_layers

    def _experts_help(count: int) -> bool:
        return target.is_held(_with(deployment, n_cpu_moe=count))

    def _layers_help(count: int) -> bool:
        return target.is_held(_with(deployment, n_gpu_layers=layers + 1 - count))

    if any(deployment.weights.experts) and _experts_help(layers):
        return (f"--n-cpu-moe {_least(_experts_help, layers)}",)
    if _layers_help(layers + 1):
        kept = layers + 1 - _least(_layers_help, layers + 1)
        return (f"--n-gpu-layers {kept}",) if kept else None
    return None


def _with(deployment: Deployment, **options: Any) -> Deployment:
    """The deployment with other options."""
    question = deployment.question
    given = dict(question.settings) | {n: Setting(v, "flag") for n, v in options.items()}
    return replace(deployment, question=replace(question, settings=Settings(OPTIONS, given)))


def _least(holds: Callable[[int], bool], highest: int) -> int:
    """The least number for which `holds`, which is true for `highest`; it is monotone."""
    low, high = 0, highest
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _devices(deployment: Deployment, target: Target) -> int | None:
    """As few of such devices as will do, each with whole layers."""
    question = deployment.question
    for devices in (n for n in _DEVICES_TRIED if n > question.parallel.pp):
        parallel = replace(question.parallel, tp=1, pp=devices)
        if target.is_held(replace(deployment, question=replace(question, parallel=parallel))):
            return devices
    return None


def _flags(deployment: Deployment, target: Target, further: tuple[str, ...]) -> tuple[str, ...]:
    sizes = deployment.launch.sizes(target.slots, target.context * target.slots)
    found = [f"--parallel {target.slots}", f"--ctx-size {sizes.n_ctx}"]
    if deployment.launch.unified:
        found.append("--kv-unified")
    return (*found, *further)
