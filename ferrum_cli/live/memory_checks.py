"""Bytes that a pool should have taken, against the device's own figures.

The estimate is held against the ledger, and what was asked of the allocator against requested,
allocated and reserved bytes, the last two through the simulation of torch's rules. On the host the
kernel's resident set stands for all of them. It knows nothing about requests.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.live.check import Check, equal, near, shown
from ferrum_cli.live.device import DeviceMemory, MemoryStats
from ferrum_cli.live.device.caching_allocator import LARGE_SEGMENT, OWN_SEGMENT
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import open_storage
from ferrum_cli.live.manager import StatePool
from ferrum_cli.quantity import format_bytes

_RESIDENT_LEAST, _RESIDENT_SHARE = 2 * 2**20, 100
_LARGE_ENOUGH = 2**60


def prediction(pool: StatePool) -> MemoryStats:
    """What torch's allocator takes for this pool as it is now, on a fresh device."""
    device = SimulatedDevice(_LARGE_ENOUGH, backed=False)
    for storage in pool.storages:
        twin = open_storage(pool.layout, device, storage.layout.tensors, storage.total)
        twin.take(storage.total - len(storage.free))
    return device.stats()


def taken(pool: StatePool, before: MemoryStats, free_before: int) -> Iterator[Check]:
    """The pool is there: every figure has risen by what it should."""
    device = pool.device
    now, expected = device.stats(), prediction(pool)
    held = sum(storage.held_bytes for storage in pool.storages)
    yield equal("requested bytes", held, now.requested_bytes - before.requested_bytes)
    for name, base, measured, predicted in (
        ("allocated bytes", before.allocated_bytes, now.allocated_bytes, expected.allocated_bytes),
        ("reserved bytes", before.reserved_bytes, now.reserved_bytes, expected.reserved_bytes),
    ):
        if base is not None and measured is not None and predicted is not None:
            yield equal(name, predicted, measured - base)
    yield from _resident("resident set", before, now)
    yield shown("driver's free memory", -held, device.limits().free_bytes - free_before)


def returned(device: DeviceMemory, before: MemoryStats) -> Iterator[Check]:
    """The pool is closed: every figure has fallen back."""
    device.trim()
    now = device.stats()
    yield equal("requested bytes after freeing", before.requested_bytes, now.requested_bytes)
    if before.reserved_bytes is not None and now.reserved_bytes is not None:
        yield equal("reserved bytes after freeing", before.reserved_bytes, now.reserved_bytes)
    yield from _resident("resident set after freeing", before, now)


def overhead_note(pool: StatePool, estimate_bytes: int) -> str | None:
    """What the allocator reserves beyond the estimate, and what the reason is; None for a host."""
    if pool.device.kind == "cpu":
        return None
    reserved = prediction(pool).reserved_bytes or 0
    over = reserved - estimate_bytes
    share = f"{100 * over / estimate_bytes:.2f} %" if estimate_bytes else "all of it"
    held = sum(storage.held_bytes for storage in pool.storages)
    reason = "the driver's pages of 2 MiB"
    if held < OWN_SEGMENT and pool.layout == "arena":
        segment = LARGE_SEGMENT if held > 2**20 else 2 * 2**20
        reason = f"one segment of {format_bytes(segment)}, the least that torch reserves"
    elif pool.layout != "arena":
        reason = "segments of 2 and 20 MiB that small tensors share"
    return f"torch reserves {format_bytes(over)} ({share}) beyond the estimate: {reason}"


def _resident(name: str, before: MemoryStats, now: MemoryStats) -> Iterator[Check]:
    """The kernel counts in batches, and Python has its own comings and goings."""
    if before.resident_bytes is None or now.resident_bytes is None:
        return
    expected = (now.mapped_bytes or 0) - (before.mapped_bytes or 0)
    tolerance = max(_RESIDENT_LEAST, expected // _RESIDENT_SHARE)
    yield near(name, expected, now.resident_bytes - before.resident_bytes, tolerance)
