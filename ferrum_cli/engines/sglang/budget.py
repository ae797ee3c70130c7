"""The split of memory between state slots and KV, step by step as SGLang takes it.

SGLang 0.5.23, mem_cache/kv_cache_configurator.py (_profile_available_bytes and
_handle_max_mamba_cache). Amounts are GiB as floats where SGLang's are: to agree to the byte, every
rounding has to fall where it does there. It knows nothing about requests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ferrum_cli.engines.sglang.device_memory import GIB, DeviceMemory
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.memory_fraction import Fraction
from ferrum_cli.engines.sglang.refusals import Refusal, no_room_for_kv, no_room_for_state
from ferrum_cli.engines.sglang.slot import Slot

_PADDING_SINCE = (0, 5, 17)
"""From this version on, the fit to memory leaves room for the padding row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """What state and KV get on the fullest rank."""

    slack_gib: float
    """Left for activations and graphs."""
    images_gib: float
    """Reserved for image embeddings and features."""
    rest_gib: float
    """For state and KV together."""
    slots: int | None
    """State slots without the padding row; None for a model without state."""
    reserved_bytes: int = 0
    """Reserved for the states of draft tokens."""
    rings_bytes: int = 0
    """ReplaySSM's rings that do not grow with the slots."""
    kv_bytes: int = 0


def split(
    launch: Launch,
    memory: DeviceMemory,
    fraction: Fraction,
    slot: Slot | None,
    *,
    images_gib: float,
    after_capture: bool,
    version: tuple[int, ...],
) -> Split | Refusal:
    """Divide what is free after the weights."""
    slack = memory.before_gib * (1 - fraction.value)
    if slot is not None and after_capture:
        slack = max(slack, fraction.activation_mib / 1024)
    rest = memory.after_gib - slack - images_gib
    found = Split(slack_gib=slack, images_gib=images_gib, rest_gib=rest, slots=None)
    if slot is not None:
        filled = _fill(launch, slot, found, padded=pads_fit(version))
        if isinstance(filled, Refusal):
            return filled
        found = filled
        rest = _after_state(found, slot)
    if rest <= 0:
        return no_room_for_kv(fraction.value, memory.after_gib, memory.before_gib)
    return replace(found, kv_bytes=int(rest * GIB))


def _after_state(found: Split, slot: Slot) -> float:
    """GiB for KV: less the draft states, then less slots, padding row and rings."""
    rest = found.rest_gib
    if found.reserved_bytes:
        rest -= found.reserved_bytes / GIB
    held = (found.slots or 0) + 1
    return rest - (held * slot.charged_bytes + found.rings_bytes) / GIB


def _fill(launch: Launch, slot: Slot, found: Split, *, padded: bool) -> Split | Refusal:
    """Slots by flag, by the number of requests without a prefix cache, or by memory."""
    ratio = launch.strategy.slots_per_request
    per_worker = launch.requests_per_worker
    rings = slot.request_ring_bytes * ((per_worker or 0) + 1)
    if launch.slots is not None:
        slots = launch.slots // launch.attention_dp
        drafts = min(per_worker or 0, slots // ratio)
    elif not launch.strategy.radix_cache and per_worker is not None:
        slots = drafts = per_worker
    else:
        slots = _fitted(launch, slot, found, rings, padded=padded)
        drafts = min(per_worker or 0, slots // ratio)
    reserved = 0
    if slot.draft_states:
        reserved = slot.bytes_on_stage * (drafts + 1) * launch.draft_tokens
    if slots <= 0:
        left = found.rest_gib - reserved / GIB if reserved else found.rest_gib
        return no_room_for_state(slots, left, slot.bytes_on_stage)
    return replace(found, slots=slots, reserved_bytes=reserved, rings_bytes=rings)


def _fitted(launch: Launch, slot: Slot, found: Split, rings: int, *, padded: bool) -> int:
    """As many slots as the share of memory holds that the ratio gives to state."""
    ratio = launch.memory_ratio
    budget = found.rest_gib * ratio / (1 + ratio) * GIB
    size, ring = slot.bytes_on_stage, slot.charged_bytes - slot.bytes_on_stage
    if slot.draft_states:
        drafts = launch.draft_tokens
        padding = size * (1 + drafts) + ring if padded else 0
        per_slot = size * (1 + drafts / launch.strategy.slots_per_request) + ring
        return int((budget - padding) // per_slot)
    padding = slot.charged_bytes if padded else 0
    return int((budget - rings - padding) // slot.charged_bytes)


def pads_fit(version: tuple[int, ...]) -> bool:
    """Whether the fit to memory leaves room for the padding row."""
    return version >= _PADDING_SINCE


def state_share(ratio: float) -> float:
    """The share of memory that goes to state at a ratio of state to KV."""
    return ratio / (1 + ratio)


def ratio_for(state_bytes: float, rest_bytes: float) -> float:
    """The smallest ratio, to four places, at which state gets `state_bytes` of `rest_bytes`."""
    left = rest_bytes - state_bytes
    return math.inf if left <= 0 else math.ceil(state_bytes / left * 10_000) / 10_000
