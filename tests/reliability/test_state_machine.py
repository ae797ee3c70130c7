"""R5: 200 runs of 50 random operations and faults against a model, audited after every step."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ferrum_cli.errors import (
    AlreadyExists,
    CopyFailed,
    FerrumError,
    OutOfMemory,
    ResourceExhausted,
    UnknownRequest,
)
from ferrum_cli.live.adaptors import Fault
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._cancelling import cancelled_at
from ferrum_cli.live.drills._station import Station
from tests.live.specs import CONV_AND_DELTA, OTHER
from tests.live.stations import station

T = TypeVar("T")
SLOTS, OTHERS = 4, 2
BUDGET = 3 * 492 + 1024 + 100
NUMBERS = st.integers(0, 7)
HITS: Counter[str] = Counter()
"""How often each kind of fault struck, over all runs."""


class Machine(RuleBasedStateMachine):
    """A manager of two classes of states in one budget, and what it should hold."""

    layout = "layer-major"

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.s: Station = station(
            SLOTS,
            others=((OTHER, OTHERS),),
            layout=self.layout,
            eviction="lru",
            resume="snapshot",
            total_memory_bytes=BUDGET,
            host_bytes=6 * 1024,
        )
        self.live: set[int] = set()
        self.swapped: set[int] = set()
        self.sizes: dict[int, int] = {}
        self.expected_failures = 0

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def spec(self, number: int, slots: int, *, other: bool) -> Any:
        return self.s.spec(number, slots=slots, tensors=OTHER if other else CONV_AND_DELTA)

    def settle(self) -> None:
        """Evictions are the manager's choice: what it swapped is no longer live."""
        gone = {n for n in self.live if self.s.manager.is_swapped(self.s.request(n))}
        self.live -= gone
        self.swapped |= gone

    @rule(number=NUMBERS, slots=st.integers(0, 3), other=st.booleans())
    def allocate(self, number: int, slots: int, *, other: bool) -> None:
        spec = self.spec(number, slots, other=other)
        promised, before = self.s.manager.can_allocate(spec), picture(self.s.manager)
        try:
            handle = self.do(self.s.manager.allocate(spec))
        except AlreadyExists:
            assert number in self.live | self.swapped
            assert not promised
            self.expected_failures += 1
            assert picture(self.s.manager) == before
        except ResourceExhausted:
            assert not promised
            self.expected_failures += 1
            assert picture(self.s.manager) == before
        else:
            assert promised
            assert number not in self.live | self.swapped
            self.s.tokens[self.s.request(number).uuid] = []
            assert self.s.mismatch(handle) is None
            self.settle()
            self.live.add(number)
            self.sizes[number] = handle.state_bytes()

    @rule(number=NUMBERS, count=st.integers(1, 4))
    def feed(self, number: int, count: int) -> None:
        if number in self.live:
            handle = self.s.manager.get_handle(self.s.request(number))
            assert handle is not None
            self.s.feed(handle, count)

    @rule(number=NUMBERS)
    def deallocate(self, number: int) -> None:
        self.do(self.s.manager.deallocate(self.s.request(number)))
        self.live.discard(number)
        self.swapped.discard(number)

    @rule(number=NUMBERS)
    def evict(self, number: int) -> None:
        try:
            self.do(self.s.manager.evict(self.s.request(number)))
        except UnknownRequest:
            assert number not in self.live
        except ResourceExhausted:
            assert number in self.live
        else:
            self.live.remove(number)
            self.swapped.add(number)

    @rule(number=NUMBERS)
    def resume(self, number: int) -> None:
        try:
            handle = self.do(self.s.manager.resume(self.s.request(number)))
        except UnknownRequest:
            assert number not in self.swapped
            self.expected_failures += 1
        except ResourceExhausted:
            assert number in self.swapped
            self.expected_failures += 1
        else:
            assert self.s.mismatch(handle) is None
            self.swapped.remove(number)
            self.settle()
            self.live.add(number)

    @rule()
    def reset(self) -> None:
        self.do(self.s.manager.reset())
        self.live.clear()
        self.swapped.clear()

    @rule(number=NUMBERS, nth=st.integers(1, 8), operation=st.sampled_from(["copy", "wait"]))
    def fail_a_copy(self, number: int, nth: int, operation: str) -> None:
        self.fault(number, Fault(operation, nth, CopyFailed), operation)

    @rule(number=NUMBERS, nth=st.integers(1, 12))
    @precondition(lambda self: self.layout == "per-tensor")
    def run_out_of_memory(self, number: int, nth: int) -> None:
        self.fault(number, Fault("allocate", nth, OutOfMemory), "allocate")

    def fault(self, number: int, fault: Fault, kind: str) -> None:
        """One operation on a request, of which a call to the device may fail."""
        self.s.failing.arm(fault)
        self.s.failing.fired = 0
        try:
            self.act(number)
        except (CopyFailed, OutOfMemory):
            HITS[kind] += 1
        except FerrumError:
            pass
        self.s.failing.arm(None)
        self.look()

    @rule(number=NUMBERS, nth=st.integers(1, 3))
    def cancel(self, number: int, nth: int) -> None:
        try:
            if self.do(self.cancelled(number, nth)):
                HITS["cancel"] += 1
        except FerrumError:
            pass
        self.look()

    async def cancelled(self, number: int, nth: int) -> bool:
        return await cancelled_at(self.operation(number), nth)

    def act(self, number: int) -> None:
        self.do(self.operation(number))

    def operation(self, number: int) -> Coroutine[Any, Any, object]:
        request = self.s.request(number)
        if number in self.swapped:
            return self.s.manager.resume(request)
        if number in self.live:
            return self.s.manager.evict(request)
        self.s.tokens[request.uuid] = []
        return self.s.manager.allocate(self.spec(number, 1, other=False))

    def look(self) -> None:
        """After a fault the manager says what it holds; nothing may be missing."""
        known = self.live | self.swapped
        self.live = {n for n in range(8) if self.s.manager.get_handle(self.s.request(n))}
        self.swapped = {n for n in range(8) if self.s.manager.is_swapped(self.s.request(n))}
        assert known <= self.live | self.swapped
        for number in self.live - known:
            handle = self.s.manager.get_handle(self.s.request(number))
            assert handle is not None
            self.sizes[number] = handle.state_bytes()

    @invariant()
    def everything_holds(self) -> None:
        assert self.s.auditor.check() == []
        stats = self.s.manager.stats()
        assert stats.active_states == len(self.live)
        assert stats.used_memory_bytes == sum(self.sizes[n] for n in self.live)
        held = {number for number in range(8) if self.s.manager.get_handle(self.s.request(number))}
        assert held == self.live
        assert self.s.mismatches(h for _, h in self.s.manager.list_handles()) == []

    def teardown(self) -> None:
        self.s.__exit__(None, None, None)
        self.loop.close()


class PerTensorMachine(Machine):
    """The same where memory comes and goes with every state."""

    layout = "per-tensor"


FIXED = settings(
    max_examples=200,
    stateful_step_count=50,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
RANDOM = settings(
    max_examples=20,
    stateful_step_count=50,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def hunt(machine: type[Machine], how: settings) -> None:
    """Run a state machine; on a failure hypothesis prints how to repeat it."""
    case = machine.TestCase
    case.settings = how
    case("runTest").runTest()


def test_two_hundred_runs_of_fifty_steps_and_every_kind_of_fault_struck() -> None:
    HITS.clear()
    hunt(Machine, FIXED)
    assert set(HITS) == {"copy", "wait", "cancel"}


def test_where_memory_comes_and_goes_with_every_state() -> None:
    HITS.clear()
    hunt(PerTensorMachine, settings(FIXED, max_examples=60))
    assert set(HITS) >= {"allocate", "copy", "cancel"}


def test_runs_that_nobody_has_seen_before() -> None:
    hunt(Machine, RANDOM)
