"""A manager on its own device with everything that a drill needs around it.

Faults can be injected, every buffer is tracked, every state is a function of its request's tokens,
and the audit stands ready. It knows nothing about any drill.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from ferrum_cli.contract import RecurrentStateSpec, RecurrentStateTensorSpec, RequestId
from ferrum_cli.live.adaptors import Failing, Tracked
from ferrum_cli.live.audit import Auditor
from ferrum_cli.live.device import DeviceMemory
from ferrum_cli.live.layout import Storage
from ferrum_cli.live.manager import StateHandle, StateManager, StatePool
from ferrum_cli.live.recurrences import Recurrence
from ferrum_cli.live.resume import NoResume, ResumePolicy
from ferrum_cli.live.resume.auto import CheaperOnResume
from ferrum_cli.live.resume.recompute import RecomputeOnResume
from ferrum_cli.live.resume.snapshot import SnapshotOnPreempt

Tensors = tuple[RecurrentStateTensorSpec, ...]
VOCABULARY = 50_000


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a station is made of: device slots of `tensors`, and perhaps of `others`."""

    make_device: Callable[[], DeviceMemory]
    recurrence_of: Callable[[Storage], Recurrence]
    tensors: Tensors
    slots: int
    others: tuple[tuple[Tensors, int], ...] = ()
    layout: str = "arena"
    eviction: str = "none"
    resume: str = "none"
    host_bytes: int | None = None
    """Staging memory for snapshots; by default enough for four times the slots."""
    break_even_tokens: int = 8
    """From how many tokens on `auto` copies; few, so that a drill sees both ways."""
    total_memory_bytes: int | None = None
    total_batch_slots: int | None = None
    seed: int = 0


class Station:
    """A context, at whose end everything is given back."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.failing = Failing(setup.make_device())
        self.device = Tracked(self.failing)
        self.rng = random.Random(setup.seed)  # noqa: S311 - replayable, not secret
        self.tokens: dict[str, list[int]] = {}
        self._recurrences: dict[Storage, Recurrence] = {}
        self.pool = StatePool(
            self.device, [(setup.tensors, setup.slots), *setup.others], setup.layout
        )
        self.use(self._make_resume())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.failing.arm(None)
        self.resume.close()
        self.pool.close()
        self.device.close()

    def use(self, resume: ResumePolicy) -> None:
        """Have a new manager that resumes in this way."""
        self.resume = resume
        self.manager = StateManager(
            self.pool,
            total_memory_bytes=self.setup.total_memory_bytes,
            total_batch_slots=self.setup.total_batch_slots,
            eviction=self.setup.eviction,
            resume=resume,
        )
        self.auditor = Auditor(self.manager, self.device)

    def request(self, number: int) -> RequestId:
        """The request of this number, the same in every run with this seed."""
        return RequestId(f"{self.setup.seed & 0xFFFFFFFF:08x}-0000-4000-8000-{number:012x}")

    def spec(
        self, number: int, slots: int = 1, tensors: Tensors | None = None
    ) -> RecurrentStateSpec:
        """What request `number` asks for."""
        wanted = self.setup.tensors if tensors is None else tensors
        return RecurrentStateSpec(
            request_id=self.request(number),
            num_layers=1 + max((tensor.layer_index for tensor in wanted), default=0),
            tensors=wanted,
            device=self.pool.where,
            max_batch_slots=slots,
        )

    def feed(self, handle: StateHandle, count: int) -> None:
        """Let a request read `count` more tokens: its state moves on, and its history grows."""
        tokens = [self.rng.randrange(VOCABULARY) for _ in range(count)]
        history = self.tokens.setdefault(handle.request_id().uuid, [])
        self.recurrence_of(handle.storage).advance(
            handle.storage, handle.slots, tokens, len(history)
        )
        history += tokens
        handle.touch()

    def mismatch(self, handle: StateHandle) -> str | None:
        """Where a state is not what its request's tokens give."""
        tokens = self.tokens.get(handle.request_id().uuid, [])
        recurrence = self.recurrence_of(handle.storage)
        return recurrence.mismatch(handle.storage, handle.slots, tokens)

    def mismatches(self, handles: Iterable[StateHandle]) -> list[str]:
        """The wrong ones of several states, each with its request."""
        found = ((handle, self.mismatch(handle)) for handle in handles)
        return [f"{handle.request_id()}: {what}" for handle, what in found if what]

    def history(self, request_id: RequestId) -> Sequence[int]:
        """The tokens of a request so far."""
        return self.tokens.get(request_id.uuid, [])

    def recurrence_of(self, storage: Storage) -> Recurrence:
        """The recurrence of the states in a storage, made once."""
        found = self._recurrences.get(storage)
        if found is None:
            found = self._recurrences[storage] = self.setup.recurrence_of(storage)
        return found

    def _make_resume(self) -> ResumePolicy:
        stride = max(s.layout.stride_bytes for s in self.pool.storages)
        host = self.setup.host_bytes
        size = 4 * stride * self.pool.slots if host is None else host
        match self.setup.resume:
            case "snapshot":
                return SnapshotOnPreempt(self.device, size)
            case "recompute":
                return RecomputeOnResume(self.device, self.recurrence_of, self.history)
            case "auto":
                return CheaperOnResume(
                    SnapshotOnPreempt(self.device, size),
                    RecomputeOnResume(self.device, self.recurrence_of, self.history),
                    self.setup.break_even_tokens,
                )
        return NoResume()
