"""How many slots fit, how long a context can be, and what stops the next one.

Both are intervals, because compute buffers are one; the figure that is promised is the lower. It
knows nothing about how the bytes come about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ferrum_cli.engines._engine import Capacity, LimitedBy
from ferrum_cli.engines.llama_cpp.launch import Sizes, padded
from ferrum_cli.engines.llama_cpp.options import MAX_SEQUENCES
from ferrum_cli.engines.llama_cpp.placement import HOST
from ferrum_cli.engines.llama_cpp.requirement import Deployment

_STEP = 256


@dataclass(frozen=True, slots=True)
class Room:
    """The memory of one device, if it is known, and what else it must hold."""

    memory_bytes: int | None
    overhead_bytes: int

    def holds(self, deployment: Deployment, sizes: Sizes, *, surely: bool) -> bool:
        """Whether every device holds its share; `surely` takes compute buffers at their most."""
        if self.memory_bytes is None:
            return True
        compute = deployment.compute(sizes)
        rest = self.overhead_bytes + (compute.high if surely else compute.low)
        shares = deployment.shares(sizes)
        return all(
            share.total + rest <= self.memory_bytes
            for device, share in shares.items()
            if device != HOST
        )


def room_of(deployment: Deployment) -> Room:
    """The memory of one device of the machine."""
    machine = deployment.question.machine
    return Room(machine.memory_bytes, machine.overhead_bytes)


def context_of_slot(deployment: Deployment) -> int:
    """Tokens that each slot is to hold: asked for, or the share that the options give.

    A stated size beats what was asked for, but a cache that all share holds any part of it.
    """
    question, launch = deployment.question, deployment.launch
    share = launch.sizes().n_ctx_seq
    if not question.context_given:
        return share
    if not question.settings.value("ctx_size"):
        return question.context
    return min(question.context, share) if launch.unified else share


def largest_parallel(deployment: Deployment, context: int, *, surely: bool) -> int:
    """The most slots, up to LLAMA_MAX_SEQ, that hold `context` tokens each."""
    room = room_of(deployment)

    def _holds(slots: int) -> bool:
        return room.holds(
            deployment, deployment.launch.sizes(slots, context * slots), surely=surely
        )

    return _largest(_holds, MAX_SEQUENCES)


def longest_ctx_size(deployment: Deployment, slots: int, most: int, *, surely: bool) -> int:
    """The largest `--ctx-size`, up to `most`, with which `slots` fit; 0 where none does."""
    room, launch = room_of(deployment), deployment.launch
    step = _STEP * launch.sizes(slots, _STEP * slots).streams

    def _holds(steps: int) -> bool:
        return room.holds(deployment, launch.sizes(slots, steps * step), surely=surely)

    return _largest(_holds, padded(most) // step) * step


def capacity(deployment: Deployment) -> Capacity:
    """Slots that fit, from the surest to the most hopeful count."""
    context, room = context_of_slot(deployment), room_of(deployment)
    if room.memory_bytes is None:
        return Capacity(None, None, None, context)
    replicas, most = deployment.question.parallel.dp, _most_slots(deployment, context)
    low, high = (
        min(most, largest_parallel(deployment, context, surely=surely)) for surely in (True, False)
    )
    return Capacity(
        available_bytes=_available(deployment, room, context),
        max_requests=low * replicas,
        limited_by=_limited_by(deployment, room, context, low, most),
        context=context,
        low=low * replicas,
        high=high * replicas,
        tokens=low * context * replicas if deployment.inventory.caches else None,
    )


def _most_slots(deployment: Deployment, context: int) -> int:
    """Slots that may be made, or that a stated cache which all share has room for."""
    launch = deployment.launch
    most = MAX_SEQUENCES if launch.default_slots else min(launch.slots, MAX_SEQUENCES)
    return min(most, _sharing(deployment, context) or most)


def _sharing(deployment: Deployment, context: int) -> int | None:
    """Requests that a stated cache which all slots share holds; None for any other."""
    if not deployment.launch.unified or not deployment.question.settings.value("ctx_size"):
        return None
    return deployment.launch.sizes().n_ctx // context


def _largest(holds: Callable[[int], bool], highest: int) -> int:
    """The largest number from 1 to `highest` for which `holds`, or 0; `holds` is monotone."""
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _available(deployment: Deployment, room: Room, context: int) -> int:
    """Bytes for state and KV on the device with most weights, compute buffers at their most."""
    sizes = deployment.launch.sizes(1, context)
    weights = deployment.fullest(sizes)[1].weights
    rest = weights + room.overhead_bytes + deployment.compute(sizes).high
    return max(0, (room.memory_bytes or 0) - rest)


def _limited_by(
    deployment: Deployment, room: Room, context: int, slots: int, most: int
) -> LimitedBy:
    if slots == most:
        return "kv" if slots == _sharing(deployment, context) else "slots"
    if _available(deployment, room, context) == 0:
        return "memory"
    sizes = deployment.launch.sizes(slots + 1, context * (slots + 1))
    share = deployment.fullest(sizes)[1]
    return "state" if share.state > share.kv else "kv"
