"""R4: every operation is cancelled at every wait, once and twice, and by a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._cancelling import cancelled_at
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.layout import layouts
from ferrum_cli.live.spill import SnapshotFolder
from tests.live.device.devices import BARE
from tests.live.stations import evicting, run, station

Operation = Callable[[Station, Path], Coroutine[Any, Any, object]]
OPERATIONS: dict[str, Operation] = {
    "allocate": lambda s, _: s.manager.allocate(s.spec(9)),
    "allocate two slots": lambda s, _: s.manager.allocate(s.spec(9, slots=2)),
    "acquire": lambda s, _: s.manager.acquire(s.spec(9)),
    "deallocate": lambda s, _: s.manager.deallocate(s.request(0)),
    "reset": lambda s, _: s.manager.reset(),
    "evict": lambda s, _: s.manager.evict(s.request(0)),
    "resume": lambda s, _: s.manager.resume(s.request(2)),
    "spill": lambda s, folder: s.manager.spill(s.request(2), SnapshotFolder(folder)),
    "resume from a file": lambda s, _: s.manager.resume(s.request(3)),
}
LEAVES_EVICTIONS = {"resume", "resume from a file"}
MOST_WAITS = 60


async def prepare(s: Station, folder: Path) -> None:
    """Requests 0 and 1 are live, 2 is swapped, 3 waits in a file."""
    for number in (2, 3):
        s.feed(await s.manager.allocate(s.spec(number)), 4)
        await s.manager.evict(s.request(number))
    await s.manager.spill(s.request(3), SnapshotFolder(folder))
    for number in (0, 1):
        s.feed(await s.manager.allocate(s.spec(number)), 4)


async def expect_whole(s: Station, numbers: range) -> None:
    """Nothing is under way, no request was lost, and every state is right."""
    assert s.auditor.check() == []
    assert s.mismatches(h for _, h in s.manager.list_handles()) == []
    await s.manager.deallocate(s.request(9))
    for number in numbers:
        request = s.request(number)
        handle = s.manager.get_handle(request) or await s.manager.resume(request)
        assert s.mismatch(handle) is None


@pytest.mark.parametrize("device", BARE)
@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("resume", ["snapshot"])
@pytest.mark.parametrize("what", OPERATIONS)
def test_at_every_wait(what: str, resume: str, layout: str, device: str, tmp_path: Path) -> None:
    async def scenario() -> int:
        for nth in range(1, MOST_WAITS):
            with evicting(2, resume, layout=layout, make_device=BARE[device]) as s:
                await prepare(s, tmp_path)
                before = picture(s.manager)
                if not await cancelled_at(OPERATIONS[what](s, tmp_path), nth):
                    return nth - 1
                if what not in LEAVES_EVICTIONS:
                    assert picture(s.manager) == before
                await expect_whole(s, range(4))
        raise AssertionError(f"{what} never ended")

    waits = run(scenario())
    # Whatever changes the books alone has no wait in it that could be cancelled.
    if what in {"deallocate", "reset"}:
        assert waits == 0
    elif device == "simulated":
        assert waits > 0


@pytest.mark.parametrize("what", ["allocate", "evict", "resume", "spill", "resume from a file"])
def test_twice_in_a_row(what: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        with evicting(2) as s:
            await prepare(s, tmp_path)
            task = asyncio.ensure_future(OPERATIONS[what](s, tmp_path))
            await asyncio.sleep(0)
            task.cancel()
            task.cancel()
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await expect_whole(s, range(4))

    run(scenario())


def test_by_a_time_limit_around_it() -> None:
    async def scenario() -> None:
        with station(1) as s:
            await s.manager.allocate(s.spec(0))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(s.manager.acquire(s.spec(1)), 0.01)
            with pytest.raises(ResourceExhausted):
                await s.manager.acquire(s.spec(1), 0.01)
            assert s.manager.waiting == 0
            assert s.auditor.check() == []

    run(scenario())


@pytest.mark.parametrize("victim", range(4))
def test_of_any_waiter_at_the_moment_that_room_comes_free(victim: int) -> None:
    """The cancelled one may be the one that was just called: the next must get its turn."""

    async def scenario() -> None:
        with station(1) as s:
            await s.manager.allocate(s.spec(0))
            waiters = [
                asyncio.ensure_future(s.manager.acquire(s.spec(number))) for number in range(1, 5)
            ]
            await asyncio.sleep(0)
            await s.manager.deallocate(s.request(0))
            waiters[victim].cancel()
            for number, waiter in enumerate(waiters, start=1):
                if number - 1 == victim:
                    continue
                await asyncio.wait_for(waiter, 5)
                await s.manager.deallocate(s.request(number))
            await asyncio.gather(*waiters, return_exceptions=True)
            assert s.manager.stats().active_states == 0
            assert s.auditor.check() == []

    run(scenario())
