"""What must wait for copies: states swapped out, back in, or out to make room for another.

It knows nothing about counting failures, or about who waits for room.
"""

from __future__ import annotations

from ferrum_cli.contract import RecurrentStateSpec, RequestId
from ferrum_cli.errors import AlreadyExists, StateError, UnknownRequest, Withdrawn
from ferrum_cli.live.device import Stream
from ferrum_cli.live.manager.admission import Admission
from ferrum_cli.live.manager.books import Books
from ferrum_cli.live.manager.handle import StateHandle
from ferrum_cli.live.manager.moves import Moves
from ferrum_cli.live.manager.records import Move, Swapped
from ferrum_cli.live.resume import ResumePolicy
from ferrum_cli.live.resume.snapshot import Snapshot
from ferrum_cli.live.resume.spilled import spill
from ferrum_cli.live.spill import SnapshotFolder


class Swapping:
    """The waiting operations of one manager. Cancelled or failed, each gives back what it took."""

    def __init__(
        self, books: Books, resume: ResumePolicy, admission: Admission, *, zeroing: bool
    ) -> None:
        self._books = books
        self._resume = resume
        self._moves = Moves(books, resume)
        self._admission = admission
        self._zeroing = zeroing

    async def swap_out(self, handle: StateHandle) -> None:
        """Save a live state and free its slots."""
        move = self._moves.begin([handle])
        try:
            await self._save(move)
            self._moves.end(move)
        except BaseException:
            self._moves.undo(move)
            raise

    async def make_room(self, spec: RecurrentStateSpec, priority: int) -> StateHandle:
        """Swap others out and allocate. Raises ResourceExhausted where that is impossible."""
        move = self._moves.begin(self._victims(spec), spec)
        try:
            await self._save(move)
            assert move.storage is not None  # noqa: S101
            if self._zeroing:
                move.storage.zero(move.slots)
            return self._moves.arrive(move, priority)
        except BaseException:
            self._moves.undo(move)
            raise

    def make_room_at_once(self, spec: RecurrentStateSpec) -> None:
        """As `make_room` where nothing must be copied: others are gone, and the room is free."""
        for handle in self._victims(spec):
            self._books.swap(handle, self._resume.save(handle))

    async def swap_in(self, request_id: RequestId) -> StateHandle:
        """Bring a swapped state back, swapping others out where there is no room."""
        swapped = self._take_up(request_id)
        try:
            await swapped.saved.fetch()
            self._check_swapped(swapped)
            return await self._bring_back(swapped)
        finally:
            self._put_down(swapped)

    async def spill(self, request_id: RequestId, folder: SnapshotFolder) -> None:
        """Move a swapped state's snapshot to a file."""
        swapped = self._take_up(request_id)
        spec, storage = swapped.spec, self._books.pool.storage_of(swapped.spec)
        try:
            if not isinstance(swapped.saved, Snapshot):
                raise StateError("holds no host memory that could be freed")
            swapped.saved = await spill(swapped.saved, folder, spec, storage.layout)
            self._check_swapped(swapped)
        finally:
            self._put_down(swapped)

    async def _bring_back(self, swapped: Swapped) -> StateHandle:
        move = self._moves.begin(self._victims(swapped.spec), swapped.spec)
        try:
            await self._save(move)
            self._check_swapped(swapped)
            assert move.storage is not None  # noqa: S101
            swapped.saved.restore(move.storage, move.slots)
            await self._books.device.arrival(self._books.device.record(Stream.COPIES))
            self._check_wanted(move)
            self._check_swapped(swapped)
            swapped.saved.check()
            return self._moves.arrive(move, swapped.priority)
        except BaseException:
            self._moves.undo(move)
            raise

    async def _save(self, move: Move) -> None:
        """Wait until the departures are saved, then book them as swapped."""
        if move.landed is not None:
            await self._books.device.arrival(move.landed)
        self._check_wanted(move)
        self._moves.commit(move)

    def _take_up(self, request_id: RequestId) -> Swapped:
        """A swapped state, which is in one operation's hands until it is put down."""
        swapped = self._books.swapped(request_id.uuid)
        if swapped is None:
            raise UnknownRequest("has no swapped state")
        if swapped.busy:
            raise AlreadyExists("is being resumed or moved already")
        swapped.busy = True
        return swapped

    def _put_down(self, swapped: Swapped) -> None:
        swapped.busy = False
        if self._books.swapped(swapped.spec.request_id.uuid) is not swapped:
            # It is live again, or nobody wants it any more.
            swapped.saved.drop()

    def _victims(self, spec: RecurrentStateSpec) -> list[StateHandle]:
        chosen = self._admission.victims(spec)
        if chosen is None:
            raise self._admission.refusal(spec)
        return chosen

    def _check_wanted(self, move: Move) -> None:
        if move.void:
            raise Withdrawn("all state was reset meanwhile")
        if move.withdrawn:
            raise Withdrawn("was deallocated meanwhile")

    def _check_swapped(self, swapped: Swapped) -> None:
        if self._books.swapped(swapped.spec.request_id.uuid) is not swapped:
            raise Withdrawn("was deallocated meanwhile")
