"""R2: the device is lost at every call; nothing hangs, and nothing is asked of it again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ferrum_cli.errors import DeviceLost
from ferrum_cli.live.adaptors.failing import lost_at
from ferrum_cli.live.checkpoints import Checkpoints
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.layout import layouts
from tests.live.stations import run, station

HANGS_S = 5.0
Script = Callable[[Station], Awaitable[object]]


async def churn(s: Station) -> None:
    """Every operation of a manager, in a row."""
    for number in range(3):
        await s.manager.allocate(s.spec(number))
    await s.manager.evict(s.request(0))
    await s.manager.allocate(s.spec(3, slots=2))
    await s.manager.resume(s.request(0))
    await s.manager.deallocate(s.request(3))
    await s.manager.acquire(s.spec(4), 1)
    await s.manager.reset()
    await s.manager.allocate(s.spec(5))


async def rollback(s: Station) -> None:
    """Checkpoints, whose copies go both ways."""
    kept = Checkpoints(s.manager, 4096)
    handle = await s.manager.allocate(s.spec(0))
    await kept.save(handle, 0)
    await kept.rollback(handle, 0)


async def side_by_side(s: Station) -> None:
    """Several operations under way at once."""
    for number in range(3):
        await s.manager.allocate(s.spec(number))
    results = await asyncio.gather(
        s.manager.evict(s.request(0)),
        s.manager.allocate(s.spec(7)),
        s.manager.evict(s.request(2)),
        return_exceptions=True,
    )
    for result in results:
        if isinstance(result, BaseException):
            raise result


async def lost_somewhere(s: Station, script: Script) -> bool:
    """Run a script; whether the device was lost on the way."""
    try:
        async with asyncio.timeout(HANGS_S):
            await script(s)
            # A loss while memory was given back is kept for the next caller.
            await s.manager.allocate(s.spec(99))
    except DeviceLost:
        return True
    return False


async def expect_dead(s: Station) -> None:
    """Every call fails at once without asking the device, and a reset ends."""
    calls = s.failing.calls["any"]
    async with asyncio.timeout(HANGS_S):
        for work in (
            s.manager.allocate(s.spec(50)),
            s.manager.acquire(s.spec(51)),
            s.manager.evict(s.request(0)),
            s.manager.resume(s.request(0)),
            s.manager.deallocate(s.request(0)),
        ):
            with pytest.raises(DeviceLost, match="was lost before"):
                await work
        assert not s.manager.can_allocate(s.spec(52))
        assert s.failing.calls["any"] == calls
        await s.manager.reset()
    assert s.manager.stats().active_states == 0
    assert s.auditor.check() == []
    with pytest.raises(DeviceLost):
        await s.manager.allocate(s.spec(53))


@pytest.mark.parametrize("resume", ["snapshot", "recompute"])
@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("script", [churn, rollback, side_by_side], ids=lambda s: s.__name__)
def test_at_every_call(script: Script, layout: str, resume: str) -> None:
    async def scenario() -> int:
        nth = 0
        while True:
            nth += 1
            with station(3, layout=layout, eviction="lru", resume=resume) as s:
                s.failing.arm(lost_at(nth))
                if not await lost_somewhere(s, script):
                    return nth - 1
                await expect_dead(s)

    assert run(scenario()) >= 3
