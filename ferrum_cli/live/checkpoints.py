"""Saved positions of live states, to which a request can be rolled back.

Recurrent state cannot be trimmed: what rejected draft tokens did to it can only be undone by going
back to a copy. Copies are bounded by bytes, not by their number; the oldest go first. It knows
nothing about tokens beyond how many there were.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ferrum_cli.errors import CopyFailed, DeviceLost, RollbackRefused
from ferrum_cli.live.device import DeviceMemory, Stream
from ferrum_cli.live.manager import StateHandle, StateManager
from ferrum_cli.live.resume.snapshot import Snapshot, SnapshotOnPreempt


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """A state as it was after `position` tokens."""

    handle: StateHandle
    position: int
    copy: Snapshot


class Checkpoints:
    """Checkpoints of a manager's states in `host_bytes` of their own, which are taken at once.

    They belong to one allocation: a state that is deallocated, evicted or reset has none any more.
    """

    def __init__(self, manager: StateManager, host_bytes: int) -> None:
        self._manager = manager
        self._device: DeviceMemory = manager.books.device
        with self._noticing_loss():
            self._copies = SnapshotOnPreempt(self._device, host_bytes)
        self._kept: list[Checkpoint] = []

    @property
    def used_bytes(self) -> int:
        """Host memory that checkpoints hold."""
        self._purge()
        return self._copies.staging.used_bytes

    def positions(self, handle: StateHandle) -> list[int]:
        """Where a state can be rolled back to; nowhere once it was taken back."""
        return sorted(checkpoint.position for checkpoint in self._of(handle))

    async def save(self, handle: StateHandle, position: int) -> None:
        """Keep a state as it is after `position` tokens; it can be used once the copy is there.

        The oldest checkpoints of all requests make room. Raises StaleHandle, or ResourceExhausted
        for a state that is larger than all room there is.
        """
        handle.touch()
        self._purge()
        while self._kept and not self._copies.can_save([handle]):
            self._kept.pop(0).copy.drop()
        with self._noticing_loss():
            copy = self._copies.save(handle)
            try:
                await self._device.arrival(self._device.record(Stream.COPIES))
                handle.touch()
            except BaseException:
                copy.drop()
                raise
        self._kept.append(Checkpoint(handle, position, copy))

    async def rollback(self, handle: StateHandle, position: int) -> int:
        """Put a state back to its latest checkpoint at or before `position`, and say where that is.

        Checkpoints after it are dropped. Raises RollbackRefused where there is none: then the
        request must be computed anew. A copy that fails in the middle takes the state with it.
        """
        handle.touch()
        candidates = [c for c in self._of(handle) if c.position <= position]
        if not candidates:
            raise RollbackRefused(
                f"no checkpoint at or before token {position}: there are {self.positions(handle)}",
                hint="run the request's tokens again from the beginning",
                where=str(handle.request_id()),
            )
        chosen = max(candidates, key=lambda checkpoint: checkpoint.position)
        handle.pins += 1
        try:
            with self._noticing_loss():
                await self._copy_back(chosen)
        finally:
            handle.pins -= 1
        for later in [c for c in self._of(handle) if c.position > chosen.position]:
            self._drop(later)
        return chosen.position

    def forget(self, handle: StateHandle) -> None:
        """Drop a state's checkpoints."""
        for checkpoint in list(self._of(handle)):
            self._drop(checkpoint)

    def close(self) -> None:
        """Drop everything, and give the memory back."""
        while self._kept:
            self._drop(self._kept[-1])
        self._copies.close()

    async def _copy_back(self, checkpoint: Checkpoint) -> None:
        handle = checkpoint.handle
        try:
            checkpoint.copy.restore(handle.storage, handle.slots)
        except CopyFailed:
            # Some tensors are of one position and some of another: nobody may use that.
            await self._manager.deallocate(handle.request_id())
            raise
        try:
            await self._device.arrival(self._device.record(Stream.COPIES))
        except BaseException:
            # The copies go on; whoever uses the state next comes after them.
            self._manager.books.settle_copies()
            raise

    @contextmanager
    def _noticing_loss(self) -> Iterator[None]:
        """The device is the manager's too: whoever finds it lost tells it."""
        try:
            yield
        except DeviceLost as error:
            self._manager.lose(error)
            raise

    def _of(self, handle: StateHandle) -> Iterator[Checkpoint]:
        valid = handle.is_valid()
        return (c for c in self._kept if valid and c.handle is handle)

    def _purge(self) -> None:
        for checkpoint in [c for c in self._kept if not c.handle.is_valid()]:
            self._drop(checkpoint)

    def _drop(self, checkpoint: Checkpoint) -> None:
        checkpoint.copy.drop()
        self._kept.remove(checkpoint)
