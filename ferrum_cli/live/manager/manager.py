"""The contract's manager over real memory: allocation, eviction, resumption and their refusals.

Whatever changes the books does so without a wait in it, and so needs no lock; only copies are
waited for, between changes. It knows nothing about models, tokens or files.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Any

from ferrum_cli.contract import (
    RecurrentStateManager,
    RecurrentStateManagerStats,
    RecurrentStateSpec,
    RequestId,
)
from ferrum_cli.errors import (
    AlreadyExists,
    DeviceLost,
    FerrumError,
    ResourceExhausted,
    StateError,
    UnknownRequest,
)
from ferrum_cli.live.layout import Slots, Storage
from ferrum_cli.live.manager.admission import Admission
from ferrum_cli.live.manager.books import Books
from ferrum_cli.live.manager.handle import ACTIVE, GONE, StateHandle
from ferrum_cli.live.manager.ledger import Ledger
from ferrum_cli.live.manager.pool import StatePool
from ferrum_cli.live.manager.swapping import Swapping
from ferrum_cli.live.manager.waiting import WaitingLine
from ferrum_cli.live.policies import policy
from ferrum_cli.live.resume import NoResume, ResumePolicy
from ferrum_cli.live.spill import SnapshotFolder

_new = object.__new__


class StateManager(RecurrentStateManager):
    """States in the slots of a pool, within one budget of bytes and slots.

    `eviction` names the policy by which `allocate` makes room; `resume` says how evicted states
    come back. Without `zeroing` a fresh state holds whatever its slot held before.
    """

    def __init__(
        self,
        pool: StatePool,
        *,
        total_memory_bytes: int | None = None,
        total_batch_slots: int | None = None,
        eviction: str = "none",
        resume: ResumePolicy | None = None,
        zeroing: bool = True,
    ) -> None:
        self.ledger = Ledger(
            pool.storages,
            pool.payload_bytes if total_memory_bytes is None else total_memory_bytes,
            pool.slots if total_batch_slots is None else total_batch_slots,
        )
        self.books = Books(pool, self.ledger)
        # These stay the same objects; each look-up less is a fiftieth of an allocation.
        self._live, self._elsewhere = self.books.live, self.books.elsewhere
        self._under_way = self.books.moves
        self._zeroing = zeroing
        self._line = WaitingLine()
        self._turns = self._line.turns
        self._last: tuple[object, object, Any] = (None, None, None)
        self._resume = resume or NoResume()
        self._admission = Admission(self.books, policy(eviction), self._resume, self._line)
        self._swapping = Swapping(self.books, self._resume, self._admission, zeroing=zeroing)

    async def allocate(self, spec: RecurrentStateSpec, *, priority: int = 0) -> StateHandle:
        """Allocate now, evicting by the policy where there is no room; it never waits for room.

        Raises as `try_allocate`, ResourceExhausted where nothing may be evicted, CopyFailed, or
        Withdrawn where the request was deallocated meanwhile. The request then has no state; states
        that had been evicted for it stay evicted, and can be resumed.
        """
        handle = self.try_allocate(spec, priority)
        if handle is None:
            handle = await self._allocate_evicting(spec, priority)
        return handle

    def try_allocate(self, spec: RecurrentStateSpec, priority: int = 0) -> StateHandle | None:
        """Allocate in free room; None, which is no failure, where there is too little.

        Raises AlreadyExists, ResourceExhausted for what has no storage here or must let others go
        first, OutOfMemory or DeviceLost; nothing but the count of failures has changed then.
        """
        if self._turns or self.books.lost is not None:
            self._check_turn(spec)
        uuid, live, ledger = spec.request_id.uuid, self._live, self.ledger
        if uuid in live or uuid in self._elsewhere:
            refusal = AlreadyExists("has state already; the first one is untouched")
            raise self._failed(refusal, spec.request_id)
        tensors, device, storage = self._last
        if spec.tensors is not tensors or spec.device is not device:
            storage = self._storage_of(spec)
        count = spec.max_batch_slots
        fits = count == 1 and len(storage.free) > ledger.spare and not self._under_way
        if not fits and not ledger.has_room(storage, count):
            return None
        ledger.begun += 1
        try:
            slots = storage.take_one() if count == 1 else storage.take(count)
            if self._zeroing:
                self._zero(storage, slots)
        except BaseException as error:  # noqa: BLE001 - it is raised again
            ledger.begun -= 1
            raise self._failed(error, spec.request_id) from None
        number = ledger.allocations + 1
        # What the constructor does, without its frame, which would be a tenth of all this.
        live[uuid] = handle = _new(StateHandle)
        handle.spec, handle.storage, handle.slots = spec, storage, slots
        handle.number, handle.live, handle.phase = number, live, ACTIVE
        handle.last_access = monotonic()
        if priority:
            handle.priority = priority
        ledger.active_tensors += storage.tensors
        ledger.allocations = number
        if self._turns:
            self._line.pass_by()
        return handle

    async def acquire(
        self, spec: RecurrentStateSpec, timeout_s: float | None = None, *, priority: int = 0
    ) -> StateHandle:
        """Allocate, waiting for room up to `timeout_s` seconds, first come first served.

        Raises as `allocate`; ResourceExhausted at once for what could never fit, or in the end.
        """
        try:
            self._admission.check_device()
            self._admission.check_possible(spec)
        except FerrumError as error:
            raise self._failed(error, spec.request_id) from None
        try:
            async with asyncio.timeout(timeout_s):
                return await self._wait_for_room(spec, priority)
        except TimeoutError:
            refusal = ResourceExhausted(f"no room within {timeout_s} s", hint="wait longer")
            raise self._failed(refusal, spec.request_id) from None

    async def deallocate(self, request_id: RequestId) -> None:
        """Take the state of one request back, live or swapped. An unknown request is no error."""
        self.deallocate_now(request_id)

    def deallocate_now(self, request_id: RequestId) -> None:
        """As `deallocate`, outside of coroutines. Raises DeviceLost."""
        if self.books.lost is not None:
            self._admission.check_device()
        ledger = self.ledger
        ledger.begun += 1
        handle = self._live.pop(request_id.uuid, None)
        if handle is None:
            ledger.begun -= 1
            self.books.release(request_id.uuid)
            return
        storage, slots = handle.storage, handle.slots
        handle.phase = GONE
        if handle.pins:
            # Copies may be under way to it: whoever has its slots next comes after them.
            self.books.settle_copies()
        ledger.active_tensors -= storage.tensors
        try:
            if len(slots) == 1:
                storage.give_one(slots)
            else:
                storage.give(slots)
        except DeviceLost as error:
            # The books are right; the memory went with the device.
            self.books.lost = error
        ledger.deallocations += 1
        if self._turns:
            self._line.call_first()

    async def evict(self, request_id: RequestId) -> None:
        """Save the state of one request and give its room to others; the request is then swapped.

        Raises UnknownRequest for a request that is not live, StateError for one that is pinned,
        ResourceExhausted where nothing can
        save its state, CopyFailed or DeviceLost; the state is then live as before.
        """
        try:
            self._admission.check_device()
            handle = self._live_handle(request_id)
            if handle.pins:
                raise StateError("is pinned", hint="unpin it first")
            await self._swapping.swap_out(handle)
        except FerrumError as error:
            raise self._placed(error, request_id) from None
        finally:
            self._line.call_first()

    async def resume(self, request_id: RequestId) -> StateHandle:
        """Bring a swapped state back under a new handle, evicting others where there is no room.

        Raises UnknownRequest for a request that is not swapped, SnapshotRefused for a damaged
        file, and otherwise as `allocate`. After a failure the request is swapped as before.
        """
        try:
            self._admission.check_device()
            return await self._swapping.swap_in(request_id)
        except FerrumError as error:
            raise self._failed(error, request_id) from None
        finally:
            self._line.call_first()

    async def spill(self, request_id: RequestId, folder: SnapshotFolder) -> None:
        """Move a swapped state's snapshot from host memory to a file; it is resumed as before.

        Raises UnknownRequest for a request that is not swapped, StateError where there is nothing
        to move, or EnvironmentFailure; then the snapshot stays where it is.
        """
        try:
            await self._swapping.spill(request_id, folder)
        except FerrumError as error:
            raise self._placed(error, request_id) from None
        finally:
            self._line.call_first()

    def can_allocate(self, spec: RecurrentStateSpec) -> bool:
        """Whether `allocate` would succeed now under the current policy."""
        return self.ledger.consistently(lambda: self._admission.would_admit(spec))

    def get_handle(self, request_id: RequestId) -> StateHandle | None:
        """The handle of a request whose state is live, else None."""
        return self._live.get(request_id.uuid)

    def list_handles(self) -> list[tuple[RequestId, StateHandle]]:  # type: ignore[override]
        """All live handles with their requests, the least recently used first."""
        handles = self.ledger.consistently(lambda: list(self._live.values()))
        return [(handle.spec.request_id, handle) for handle in handles]

    def stats(self) -> RecurrentStateManagerStats:
        """Aggregate statistics; they may be asked for from any thread."""
        return self.ledger.consistently(lambda: self.ledger.stats(len(self._live)))

    async def reset(self) -> None:
        """Drop all state, live or swapped; the counters keep their values.

        Operations under way end with Withdrawn. A lost device is no obstacle.
        """
        self.books.clear()
        self._line.call_first()

    @property
    def waiting(self) -> int:
        """How many wait for room."""
        return len(self._turns)

    def lose(self, error: DeviceLost) -> None:
        """Whoever uses the manager's device has found it lost: nothing is asked of it again."""
        if self.books.lost is None:
            self.books.lost = error

    def is_swapped(self, request_id: RequestId) -> bool:
        """Whether the request's state was evicted and can be resumed."""
        return self.books.swapped(request_id.uuid) is not None

    def touch(self, request_id: RequestId) -> None:
        """Note a use of a live state. Raises UnknownRequest."""
        self._live_handle(request_id).touch()

    def pin(self, request_id: RequestId) -> None:
        """Keep a live state from being evicted, until it is unpinned. Raises UnknownRequest."""
        self._live_handle(request_id).pins += 1

    def unpin(self, request_id: RequestId) -> None:
        """Take one pin back. Raises UnknownRequest for a request that has none."""
        handle = self._live_handle(request_id)
        if handle.pins == 0:
            raise UnknownRequest("is not pinned", where=str(request_id))
        handle.pins -= 1
        self._line.call_first()

    async def _allocate_evicting(self, spec: RecurrentStateSpec, priority: int) -> StateHandle:
        try:
            if not self._resume.instant:
                handle = await self._swapping.make_room(spec, priority)
                self._line.pass_by()
                return handle
            self._swapping.make_room_at_once(spec)
        except FerrumError as error:
            raise self._failed(error, spec.request_id) from None
        finally:
            if self._turns:
                self._line.call_first()
        found = self.try_allocate(spec, priority)
        assert found is not None  # noqa: S101 - room was made
        return found

    async def _wait_for_room(self, spec: RecurrentStateSpec, priority: int) -> StateHandle:
        turn = self._line.join()
        try:
            while True:
                await turn.called()
                with turn.served():
                    handle = self.try_allocate(spec, priority)
                    if handle is not None:
                        return handle
                    if self._admission.victims(spec) is not None:
                        return await self._allocate_evicting(spec, priority)
        finally:
            self._line.leave(turn)

    def _storage_of(self, spec: RecurrentStateSpec) -> Storage:
        try:
            storage = self.books.pool.storage_of(spec)
        except ResourceExhausted as error:
            raise self._failed(error, spec.request_id) from None
        # Specs of one model share the tuple of tensors, so that the next is known at a glance.
        self._last = (spec.tensors, spec.device, storage)
        return storage

    def _check_turn(self, spec: RecurrentStateSpec) -> None:
        try:
            self._admission.check_turn()
        except FerrumError as error:
            raise self._failed(error, spec.request_id) from None

    def _zero(self, storage: Storage, slots: Slots) -> None:
        try:
            storage.zero(slots)
        except BaseException:
            self.books.give(storage, slots)
            raise

    def _live_handle(self, request_id: RequestId) -> StateHandle:
        handle = self._live.get(request_id.uuid)
        if handle is None:
            raise UnknownRequest("has no live state", where=str(request_id))
        return handle

    def _failed(self, error: BaseException, request_id: RequestId) -> BaseException:
        """Count a failure to allocate."""
        self.ledger.failures += 1
        return self._placed(error, request_id)

    def _placed(self, error: BaseException, request_id: RequestId) -> BaseException:
        """Say whose the error is; a lost device stays lost."""
        if isinstance(error, DeviceLost):
            self.lose(error)
        return error.located(str(request_id)) if isinstance(error, FerrumError) else error
