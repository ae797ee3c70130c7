"""A snapshot that was moved to a file: its staging memory is free until the state comes back.

It knows nothing about the file's form.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Event

from ferrum_cli.contract import RecurrentStateResumePolicy, RecurrentStateSpec
from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.device import Region, Stream
from ferrum_cli.live.layout import SlotLayout, Storage
from ferrum_cli.live.resume._policy import Saved
from ferrum_cli.live.resume._staging import Staging
from ferrum_cli.live.resume.snapshot import Snapshot
from ferrum_cli.live.spill import SnapshotFolder
from ferrum_cli.live.threads import in_thread


class Spilled(Saved):
    """The file of one request in a folder."""

    kind = RecurrentStateResumePolicy.SnapshotOnPreempt

    def __init__(
        self,
        folder: SnapshotFolder,
        spec: RecurrentStateSpec,
        layout: SlotLayout,
        staging: Staging,
    ) -> None:
        self._folder = folder
        self._spec = spec
        self._layout = layout
        self._staging = staging
        self._fetched: Snapshot | None = None

    async def fetch(self) -> None:
        """Read the file into staging memory, every byte checked.

        Raises SnapshotRefused, or ResourceExhausted where staging memory is short; the file stays.
        """
        if self._fetched is not None:
            return
        regions = self._take()
        try:
            # A copy that was given up may still be under way to this very memory.
            device = self._staging.device
            await device.arrival(device.record(Stream.COPIES))
            await in_thread(partial(self._read, regions))
        except BaseException:
            for region in regions:
                self._staging.give(region)
            raise
        self._fetched = Snapshot(self._staging, regions)
        self.host_bytes = self._fetched.host_bytes

    def restore(self, storage: Storage, slots: Sequence[int]) -> None:
        """Queue the copies back."""
        assert self._fetched is not None  # noqa: S101
        self._fetched.restore(storage, slots)

    def drop(self) -> None:
        """Give the staging memory back, and delete the file."""
        if self._fetched is not None:
            self._fetched.drop()
        self._folder.remove(self._spec.request_id)

    def _read(self, regions: list[Region], stop: Event) -> None:
        self._folder.read(self._spec, self._layout, regions, stop)

    def _take(self) -> list[Region]:
        regions: list[Region] = []
        for _ in range(self._spec.max_batch_slots if self._layout.stride_bytes else 0):
            region = self._staging.take(self._layout.stride_bytes)
            if region is None:
                for taken in regions:
                    self._staging.give(taken)
                raise ResourceExhausted(
                    "no host memory is left to read the snapshot into",
                    hint="use a larger host budget",
                )
            regions.append(region)
        return regions


async def spill(
    snapshot: Snapshot, folder: SnapshotFolder, spec: RecurrentStateSpec, layout: SlotLayout
) -> Spilled:
    """Move a snapshot to a file. Failed or cancelled, there is no file and the snapshot stays.

    Raises EnvironmentFailure.
    """

    def write(stop: Event) -> None:
        folder.write(spec, layout, snapshot.regions, stop)

    try:
        await in_thread(write)
    except BaseException:
        folder.remove(spec.request_id)
        raise
    spilled = Spilled(folder, spec, layout, snapshot.staging)
    snapshot.drop()
    return spilled
