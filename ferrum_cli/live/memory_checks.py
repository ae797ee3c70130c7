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
    """The pool is full: every figure of the allocator has risen by what it should."""
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
    if device.kind != "cpu":
        yield shown("taken of the driver's memory", held, free_before - device.limits().free_bytes)


def given_back(device: DeviceMemory, before: MemoryStats) -> Iterator[Check]:
    """The pool is closed: every figure of the allocator is as it was."""
    device.trim()
    now = device.stats()
    yield equal("requested bytes after closing", before.requested_bytes, now.requested_bytes)
    if before.reserved_bytes is not None and now.reserved_bytes is not None:
        yield equal("reserved bytes after closing", before.reserved_bytes, now.reserved_bytes)


def resident(name: str, before: MemoryStats, after: MemoryStats) -> Iterator[Check]:
    """On the host, the resident set changed by the pages that were mapped or unmapped between.

    The kernel counts in batches, and Python has its own comings and goings.
    """
    if before.resident_bytes is None or after.resident_bytes is None:
        return
    expected = (after.mapped_bytes or 0) - (before.mapped_bytes or 0)
    tolerance = max(_RESIDENT_LEAST, abs(expected) // _RESIDENT_SHARE)
    yield near(name, expected, after.resident_bytes - before.resident_bytes, tolerance)


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
