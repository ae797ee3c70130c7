"""The flags that let a number of requests run with a context each, and what makes it fit.

Tried in this order: slots and context alone, smaller types of KV, more devices. Every proposal is
laid out again before it is made. It knows nothing about how llama.cpp gets from flags to bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ferrum_cli.engines._engine import Capacity
from ferrum_cli.engines.llama_cpp.cache_types import TYPES
from ferrum_cli.engines.llama_cpp.capacity import context_of_slot, room_of
from ferrum_cli.engines.llama_cpp.options import MAX_SEQUENCES
from ferrum_cli.engines.llama_cpp.refusals import first_refusal
from ferrum_cli.engines.llama_cpp.requirement import Deployment
from ferrum_cli.report import Finding, Level

_SMALLER_TYPES = ("q8_0", "q4_0")
_DEVICES_TRIED = (2, 4, 8)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Flags beside slots and context, and the deployment that they make."""

    deployment: Deployment
    flags: tuple[str, ...] = ()


def flags(deployment: Deployment, found: Capacity) -> tuple[str, ...]:
    """Flags that reach the requests asked for; as many slots as fit where none were asked for."""
    wanted = _wanted(deployment, found)
    if wanted is None:
        return ()
    proposal = proposal_for(deployment, wanted)
    return () if proposal is None else _flags(proposal, wanted)


def advice(deployment: Deployment, found: Capacity) -> Iterator[Finding]:
    """What makes the requests fit where slots and context alone do not."""
    wanted = _wanted(deployment, found)
    if wanted is None or found.max_requests is None or wanted <= _slots_that_fit(found, deployment):
        return
    proposal = proposal_for(deployment, wanted)
    if proposal is None:
        yield Finding(
            Level.WARNING,
            "nothing-makes-it-fit",
            f"{wanted} slots of {context_of_slot(deployment)} tokens fit with no type of KV on up"
            f" to {_DEVICES_TRIED[-1]} devices",
            "use a shorter --context",
        )
    elif proposal.flags:
        told = " ".join(_flags(proposal, wanted))
        message = f"{wanted} slots of {context_of_slot(deployment)} tokens fit with {told}"
        yield Finding(Level.INFO, "advice", message, "start llama-server with these flags")


def proposal_for(deployment: Deployment, slots: int) -> Proposal | None:
    """The first proposal that surely holds `slots`, or None."""
    context = context_of_slot(deployment)
    for proposal in _proposals(deployment):
        sizes = proposal.deployment.launch.sizes(slots, context * slots)
        room = room_of(proposal.deployment)
        if room.holds(proposal.deployment, sizes, surely=True):
            return proposal
    return None


def _proposals(deployment: Deployment) -> Iterator[Proposal]:
    yield Proposal(deployment)
    if deployment.inventory.caches:
        yield from _smaller(deployment)
    parallel = deployment.question.parallel
    if parallel.tp == 1:
        for devices in (n for n in _DEVICES_TRIED if n > parallel.pp):
            question = replace(deployment.question, parallel=replace(parallel, pp=devices))
            split = ",".join(["1"] * devices)
            yield Proposal(replace(deployment, question=question), (f"--tensor-split {split}",))


def _smaller(deployment: Deployment) -> Iterator[Proposal]:
    """Smaller types of KV, where llama.cpp takes them."""
    if deployment.launch.flash is False:
        return
    for name in _SMALLER_TYPES:
        launch = replace(deployment.launch, type_k=TYPES[name], type_v=TYPES[name])
        changed = replace(deployment, launch=launch)
        model, architecture = deployment.question.model, deployment.architecture
        inventory = deployment.inventory
        if first_refusal(model, architecture, inventory, launch, tensor=False) is None:
            yield Proposal(changed, (f"--cache-type-k {name}", f"--cache-type-v {name}"))


def _wanted(deployment: Deployment, found: Capacity) -> int | None:
    """Slots of one server: as many as requests are asked for, or as fit."""
    question = deployment.question
    if question.requests_given:
        wanted = -(-question.requests // question.parallel.dp)
    elif found.max_requests:
        wanted = found.max_requests // question.parallel.dp
    else:
        return None
    return wanted if wanted <= MAX_SEQUENCES else None


def _slots_that_fit(found: Capacity, deployment: Deployment) -> int:
    return (found.max_requests or 0) // deployment.question.parallel.dp


def _flags(proposal: Proposal, slots: int) -> tuple[str, ...]:
    deployment = proposal.deployment
    sizes = deployment.launch.sizes(slots, context_of_slot(deployment) * slots)
    found = [f"--parallel {slots}", f"--ctx-size {sizes.n_ctx}"]
    if deployment.launch.unified:
        found.append("--kv-unified")
    return (*found, *proposal.flags)
