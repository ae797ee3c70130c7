"""SnapshotOnPreempt: the state's bytes, copied to host memory and back.

There is no digest in memory: a copy engine does not flip bits, and hashing would cost as much as
the copy. It knows nothing about what the bytes mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ferrum_cli.contract import RecurrentStateResumePolicy
from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.device import DeviceMemory, Region, Stream
from ferrum_cli.live.layout import Storage
from ferrum_cli.live.resume._policy import Resident, ResumePolicy, Saved
from ferrum_cli.live.resume._staging import Staging
from ferrum_cli.quantity import format_bytes


class Snapshot(Saved):
    """Packed slots in staging memory."""

    kind = RecurrentStateResumePolicy.SnapshotOnPreempt
    queued = True

    def __init__(self, staging: Staging, regions: list[Region]) -> None:
        self.staging = staging
        self.regions = regions
        self.host_bytes = sum(region.size_bytes for region in regions)

    def restore(self, storage: Storage, slots: Sequence[int]) -> None:
        """Queue the copies back."""
        device = self.staging.device
        device.follow(Stream.COPIES, device.record(Stream.COMPUTE))
        for slot, region in zip(slots, self.regions, strict=False):
            for on_device, on_host in _pairs(storage, slot, region):
                device.copy(on_device, on_host, Stream.COPIES)

    def drop(self) -> None:
        """Give the staging memory back."""
        while self.regions:
            self.staging.give(self.regions.pop())
        self.host_bytes = 0


class SnapshotOnPreempt(ResumePolicy):
    """Snapshots in `host_bytes` of staging memory, which is taken at once."""

    def __init__(self, device: DeviceMemory, host_bytes: int) -> None:
        self.staging = Staging(device, host_bytes)

    def can_save(self, states: Sequence[Resident]) -> bool:
        """Whether all slots of these states find room."""
        return self.staging.can_take(
            state.storage.layout.stride_bytes
            for state in states
            for _ in state.slots
            if state.storage.layout.stride_bytes
        )

    def save(self, state: Resident) -> Snapshot:
        """Queue the copies out."""
        snapshot = Snapshot(self.staging, self._regions(state))
        device, storage = self.staging.device, state.storage
        try:
            # The caller's kernels write the state first.
            device.follow(Stream.COPIES, device.record(Stream.COMPUTE))
            for slot, region in zip(state.slots, snapshot.regions, strict=False):
                for on_device, on_host in _pairs(storage, slot, region):
                    device.copy(on_host, on_device, Stream.COPIES)
        except BaseException:
            snapshot.drop()
            raise
        return snapshot

    def close(self) -> None:
        """Give the staging memory back to the host."""
        self.staging.close()

    def _regions(self, state: Resident) -> list[Region]:
        """A piece of staging memory for each slot; none for slots without bytes."""
        stride = state.storage.layout.stride_bytes
        regions: list[Region] = []
        for _ in state.slots if stride else ():
            region = self.staging.take(stride)
            if region is None:
                for taken in regions:
                    self.staging.give(taken)
                raise ResourceExhausted(
                    f"a snapshot of {format_bytes(stride * len(state.slots))} does not fit into the"
                    f" {format_bytes(self.staging.free_bytes)} left of"
                    f" {format_bytes(self.staging.size_bytes)} host memory",
                    hint="use a larger host budget, or spill snapshots to files",
                )
            regions.append(region)
        return regions


def _pairs(storage: Storage, slot: int, region: Region) -> Iterator[tuple[Region, Region]]:
    """Each piece of a slot on the device with its place in the packed slot on the host."""
    for piece in storage.pieces(slot):
        size = piece.region.size_bytes
        yield piece.region, region.buffer.region(region.start + piece.offset, size)
