"""How long the manager's own work takes, against a yardstick that does nothing else.

Nothing is zeroed or copied, on a device without memory. It knows nothing about bytes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from ferrum_cli.contract import RecurrentStateSpec, RequestId
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.manager import StateManager, StatePool
from ferrum_cli.live.measure._measurement import ROUNDS, Measurement, fastest
from ferrum_cli.live.measure._yardstick import Yardstick
from ferrum_cli.live.model import StateModel
from ferrum_cli.live.resume import ResumePolicy
from ferrum_cli.live.resume.recompute import RecomputeOnResume

OPERATIONS = 1000
LIVE = 10
_LARGE_ENOUGH = 2**62


class Bench:
    """A manager and the yardstick, each with `live` requests, and specs for as many more."""

    def __init__(self, model: StateModel, live: int = LIVE) -> None:
        device = SimulatedDevice(_LARGE_ENOUGH, backed=False)
        self.pool = StatePool(device, [(model.tensors, live + OPERATIONS)])
        self.manager = StateManager(self.pool, zeroing=False)
        self.yardstick = Yardstick(live + OPERATIONS)
        self._model = model
        self.specs = [self._spec(number) for number in range(OPERATIONS)]
        self.ids = [spec.request_id for spec in self.specs]
        for number in range(live):
            spec = self._spec(OPERATIONS + number)
            self.manager.try_allocate(spec)
            self.yardstick.allocate(spec.request_id)
        self.kept = self._spec(OPERATIONS).request_id
        # Starting a loop takes as long as a hundred allocations.
        self.loop = asyncio.new_event_loop()

    def close(self) -> None:
        """Close the loop."""
        self.loop.close()

    def yard(self) -> None:
        """The yardstick, once for each spec."""
        allocate, deallocate = self.yardstick.allocate, self.yardstick.deallocate
        for request_id in self.ids:
            allocate(request_id)
            deallocate(request_id)

    def plain(self) -> None:
        """Allocate and deallocate without coroutines."""
        allocate, deallocate = self.manager.try_allocate, self.manager.deallocate_now
        for spec, request_id in zip(self.specs, self.ids, strict=True):
            allocate(spec)
            deallocate(request_id)

    def awaited(self) -> None:
        """Allocate and deallocate as the contract says, awaited."""

        async def run() -> None:
            allocate, deallocate = self.manager.allocate, self.manager.deallocate
            for spec, request_id in zip(self.specs, self.ids, strict=True):
                await allocate(spec)
                await deallocate(request_id)

        self.loop.run_until_complete(run())

    def touch(self) -> None:
        """Note a use of one live state."""
        touch = self.manager.touch
        for _ in self.ids:
            touch(self.kept)

    def stats(self) -> None:
        """Ask for the statistics."""
        stats = self.manager.stats
        for _ in self.ids:
            stats()

    def _spec(self, number: int) -> RecurrentStateSpec:
        request_id = RequestId(f"00000000-0000-4000-8000-{number:012x}")
        return self._model.spec(request_id, 1, self.pool.where)


class EvictingBench(Bench):
    """A full pool whose every allocation evicts the least recently used; nothing is copied."""

    def __init__(self, model: StateModel, live: int = LIVE) -> None:
        super().__init__(model, live)
        self.pool = StatePool(SimulatedDevice(_LARGE_ENOUGH, backed=False), [(model.tensors, live)])
        self.manager = StateManager(
            self.pool, eviction="lru", resume=_nothing(self.pool.device), zeroing=False
        )
        for number in range(live):
            self.manager.try_allocate(self._spec(OPERATIONS + number))

    def evict_allocate(self) -> None:
        """Allocate in the full pool; the evicted requests are forgotten at the end."""

        async def run() -> None:
            for spec in self.specs:
                await self.manager.allocate(spec)
            await self.manager.reset()
            for number in range(self.pool.slots):
                self.manager.try_allocate(self._spec(OPERATIONS + number))

        self.loop.run_until_complete(run())


def bookkeeping(model: StateModel, rounds: int = ROUNDS) -> Iterator[Measurement]:
    """Times for one operation, in ns, against the yardstick's allocate and deallocate."""
    bench, full = Bench(model), EvictingBench(model)
    works: dict[str, Callable[[], object]] = {
        "yardstick": bench.yard,
        "allocate_deallocate": bench.plain,
        "allocate_deallocate_awaited": bench.awaited,
        "touch": bench.touch,
        "evict_allocate": full.evict_allocate,
        "stats": bench.stats,
    }
    try:
        best = fastest(works, rounds)
    finally:
        bench.close()
        full.close()
    limit = best.pop("yardstick") / OPERATIONS
    for name, took in best.items():
        yield Measurement(name, took / OPERATIONS, "ns", limit)


def _nothing(device: SimulatedDevice | object) -> ResumePolicy:
    """A way of resuming that keeps nothing; nothing is resumed here."""
    return RecomputeOnResume(device, _never, _never)  # type: ignore[arg-type]


def _never(_: object) -> object:
    raise AssertionError("nothing is resumed while the books are measured")
