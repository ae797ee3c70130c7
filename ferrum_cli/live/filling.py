"""The model's state at full size: as many requests as were asked for, one more, and none again.

It knows nothing about drills, and nothing about how much fits: that was decided before.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from ferrum_cli.contract import RecurrentStateManagerStats, RecurrentStateSpec, RequestId
from ferrum_cli.errors import AlreadyExists, ResourceExhausted
from ferrum_cli.live.audit import Auditor
from ferrum_cli.live.check import Check, equal, said
from ferrum_cli.live.device import DeviceMemory
from ferrum_cli.live.handle_facts import HandleFacts
from ferrum_cli.live.layout import SlotLayout, Storage
from ferrum_cli.live.manager import StateHandle, StateManager, StatePool
from ferrum_cli.live.measure import copy_times
from ferrum_cli.live.memory_checks import given_back, overhead_note, resident, taken
from ferrum_cli.live.model import StateModel, scaled
from ferrum_cli.live.recurrences import Recurrence
from ferrum_cli.live.resume import NoResume, ResumePolicy
from ferrum_cli.live.resume.auto import CheaperOnResume
from ferrum_cli.live.resume.recompute import RecomputeOnResume
from ferrum_cli.live.resume.snapshot import SnapshotOnPreempt
from ferrum_cli.report import Unit

if TYPE_CHECKING:
    from ferrum_cli.live.run import Wanted

_WARM_BYTES = 2**16
TOKENS = 16
"""What each request reads before others may take its place."""


class Filling:
    """A manager for one model on one device, with `fitting` requests at once."""

    def __init__(
        self,
        model: StateModel,
        wanted: Wanted,
        device: DeviceMemory,
        fitting: int,
        recurrence_of: Callable[[Storage], Recurrence],
    ) -> None:
        self.checks: list[Check] = []
        self.notes: list[str] = []
        self.stats: RecurrentStateManagerStats | None = None
        self.handles: list[HandleFacts] = []
        self._model, self._wanted, self._device = model, wanted, device
        self._fitting = fitting
        self._recurrence_of = recurrence_of
        self._made: dict[Storage, Recurrence] = {}
        self._rng = random.Random(wanted.seed)  # noqa: S311 - replayable, not secret
        self._tokens: dict[str, list[int]] = {}
        self._before, self._free_before = device.stats(), device.limits().free_bytes
        self._resume = self._make_resume()
        # The first pool of a process loads pages of torch itself.
        StatePool(device, [(scaled(model, _WARM_BYTES).tensors, 1)], wanted.layout).close()
        device.trim()
        bare = device.stats()
        self._pool = StatePool(device, [(model.tensors, fitting * wanted.slots)], wanted.layout)
        self._opening = list(resident("resident set", bare, device.stats()))
        self._manager = StateManager(
            self._pool,
            total_memory_bytes=wanted.budget_bytes,
            total_batch_slots=self._pool.slots,
            eviction=wanted.policy,
            resume=self._resume,
            # Nobody reads states of which nothing is computed; the pages are touched already.
            zeroing=self._swapped > 0,
        )
        self._auditor = Auditor(self._manager)

    async def run(self, tell: Callable[[str], object]) -> None:
        """Fill, verify, refuse one more, and empty again."""
        await self._fill(tell)
        tell("verifying")
        self._verify()
        await self._one_more()
        if self._swapped:
            await self._turns(tell)
        self._note_handles()
        await self._empty()

    def close(self) -> None:
        """Give everything back, if that is still to be done."""
        self._pool.close()
        self._resume.close()

    @property
    def _requests(self) -> int:
        """All of them where they may take turns, else those that fit."""
        return self._fitting if self._wanted.policy == "none" else self._wanted.requests

    @property
    def _swapped(self) -> int:
        return self._requests - self._fitting

    async def _fill(self, tell: Callable[[str], object]) -> None:
        for number in range(self._requests):
            tell(f"request {number + 1} of {self._requests}")
            # An interrupt is noticed where a coroutine gives way.
            await asyncio.sleep(0)
            handle = await self._manager.allocate(self._spec(number))
            if self._swapped:
                self._feed(handle)

    def _verify(self) -> None:
        estimate = self._model.slot_bytes * self._wanted.slots * self._fitting
        layout = SlotLayout.of(self._model.tensors)
        slots = self._fitting * self._wanted.slots
        stats = self._manager.stats()
        self.checks.append(equal("ledger", estimate, stats.used_memory_bytes))
        self.checks.append(equal("live states", self._fitting, stats.active_states, Unit.COUNT))
        held = sum(storage.held_bytes for storage in self._pool.storages)
        padding = layout.padding_bytes * slots if self._wanted.layout == "arena" else 0
        self.checks.append(equal("held by the layout", estimate + padding, held))
        self.checks += self._opening
        self.checks += taken(self._pool, self._before, self._free_before)
        if self._wanted.layout == "arena":
            self.notes.append(
                f"padding: {layout.padding_bytes} B a slot, to multiples of 256 and 512 B"
            )
        if note := overhead_note(self._pool, estimate):
            self.notes.append(note)

    async def _one_more(self) -> None:
        """N fit, and the next is refused or takes its turn; with one gone it fits; N again."""
        outcome = "evicts another" if self._swapped else "refused"
        self.checks.append(said("one request more", outcome, await self._outcome(self._spec(-1))))
        await self._manager.deallocate(self._request(-1))
        await self._manager.deallocate(self._request(0))
        self._tokens.pop(self._request(0).uuid, None)
        again = await self._outcome(self._spec(0))
        expected = again if self._swapped else "fits"
        self.checks.append(said("one request after one was released", expected, again))
        if self._swapped and (handle := self._manager.get_handle(self._request(0))):
            self._feed(handle)
        duplicate = await self._outcome(self._spec(0))
        self.checks.append(said("the same request again", "refused as a duplicate", duplicate))
        self._audit("while full")

    async def _outcome(self, spec: RecurrentStateSpec) -> str:
        promised = self._manager.can_allocate(spec)
        evicted = self._manager.stats().eviction_count
        try:
            await self._manager.allocate(spec)
        except AlreadyExists:
            return "refused as a duplicate"
        except ResourceExhausted:
            return "refused" if not promised else "refused, although can_allocate was true"
        if not promised:
            return "fits, although can_allocate was false"
        return "evicts another" if self._manager.stats().eviction_count > evicted else "fits"

    async def _turns(self, tell: Callable[[str], object]) -> None:
        """Every request that was swapped comes back with its own state."""
        wrong = 0
        for number in range(self._requests):
            tell(f"turn {number + 1} of {self._requests}")
            await asyncio.sleep(0)
            request = self._request(number)
            handle = self._manager.get_handle(request) or await self._manager.resume(request)
            tokens = self._tokens[request.uuid]
            recurrence = self._recurrence(handle.storage)
            wrong += recurrence.mismatch(handle.storage, handle.slots, tokens) is not None
        self.checks.append(equal("states that came back wrong", 0, wrong, Unit.COUNT))
        self._audit("after the turns")

    def _note_handles(self) -> None:
        self.stats = self._manager.stats()
        self.handles = [HandleFacts.of(handle) for _, handle in self._manager.list_handles()]

    async def _empty(self) -> None:
        full = self._device.stats()
        await self._manager.reset()
        stats = self._manager.stats()
        self.checks.append(equal("ledger after release", 0, stats.used_memory_bytes))
        self._audit("after release")
        self.close()
        self.checks += resident("resident set released", self._device.stats(), full)
        self.checks += given_back(self._device, self._before)

    def _audit(self, when: str) -> None:
        violations = self._auditor.check()
        self.checks.append(equal(f"violated invariants {when}", 0, len(violations), Unit.COUNT))
        self.notes += violations

    def _feed(self, handle: StateHandle) -> None:
        tokens = [self._rng.randrange(50_000) for _ in range(TOKENS)]
        recurrence = self._recurrence(handle.storage)
        recurrence.advance(handle.storage, handle.slots, tokens, 0)
        self._tokens[handle.request_id().uuid] = tokens

    def _recurrence(self, storage: Storage) -> Recurrence:
        if storage not in self._made:
            self._made[storage] = self._recurrence_of(storage)
        return self._made[storage]

    def _make_resume(self) -> ResumePolicy:
        """Room for the snapshots of all that do not fit, and of the one more that is tried."""
        if not self._swapped:
            return NoResume()
        stride = SlotLayout.of(self._model.tensors).stride_bytes * self._wanted.slots
        host = stride * (self._swapped + 1)
        recompute = RecomputeOnResume(self._device, self._recurrence, self._history)
        match self._wanted.resume:
            case "recompute":
                return recompute
            case "snapshot":
                return SnapshotOnPreempt(self._device, host)
        tokens = copy_times(scaled(self._model), self._device).break_even_tokens
        copied = tokens <= TOKENS
        how = "so that snapshots are taken" if copied else "so that states are computed again"
        self.notes.append(
            f"auto: the break-even is {tokens} tokens and requests have {TOKENS}, {how}"
        )
        return CheaperOnResume(SnapshotOnPreempt(self._device, host), recompute, tokens)

    def _history(self, request_id: RequestId) -> list[int]:
        return self._tokens[request_id.uuid]

    def _spec(self, number: int) -> RecurrentStateSpec:
        return self._model.spec(self._request(number), self._wanted.slots, self._device.where())

    def _request(self, number: int) -> RequestId:
        """The request of this number, the same in every run with this seed; -1 is one more."""
        place = number % 2**48
        return RequestId(f"{self._wanted.seed & 0xFFFFFFFF:08x}-0000-4000-8000-{place:012x}")
