"""R7: ten thousand cycles leave not a byte on the device, and next to nothing in Python."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Iterator

import pytest

from ferrum_cli.contract import RecurrentStateSpec
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.layout import layouts
from tests.live.device.devices import BARE
from tests.live.stations import run, station

CYCLES = 10_000
FEW_BYTES = 64 * 1024


@pytest.fixture
def without_collector() -> Iterator[None]:
    """Nothing may need the garbage collector to go away."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def cycles(s: Station, spec: RecurrentStateSpec, count: int) -> list[weakref.ref[object]]:
    """Allocate and release; references to the first handles."""
    watched = []
    for number in range(count):
        handle = await s.manager.allocate(spec)
        if number < 100:
            watched.append(weakref.ref(handle))
        await s.manager.deallocate(spec.request_id)
    return watched


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("device", BARE)
@pytest.mark.parametrize("layout", layouts())
def test_ten_thousand_cycles(layout: str, device: str) -> None:
    count = CYCLES if layout == "arena" else CYCLES // 10

    async def scenario() -> None:
        with station(2, layout=layout, make_device=BARE[device]) as s:
            spec = s.spec(0)
            await cycles(s, spec, 100)
            before, live = s.device.stats(), s.device.live_bytes
            tracemalloc.start()
            grown = -tracemalloc.get_traced_memory()[0]
            watched = await cycles(s, spec, count)
            assert all(reference() is None for reference in watched)
            del watched
            grown += tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
            after = s.device.stats()
            assert s.device.live_bytes == live
            assert after.requested_bytes == before.requested_bytes
            assert after.reserved_bytes == before.reserved_bytes
            assert after.mapped_bytes == before.mapped_bytes
            assert grown <= FEW_BYTES
            assert s.auditor.check() == []

    run(scenario())


@pytest.mark.parametrize("device", BARE)
def test_a_thousand_cycles_through_host_memory(device: str) -> None:
    async def scenario() -> None:
        with station(2, resume="snapshot", make_device=BARE[device]) as s:
            before, pinned = s.device.stats(), s.device.pinned_bytes
            for number in range(1000):
                await s.manager.allocate(s.spec(number))
                await s.manager.evict(s.request(number))
                if number % 2:
                    await s.manager.resume(s.request(number))
                await s.manager.deallocate(s.request(number))
            assert s.device.pinned_bytes == pinned
            assert s.device.stats().requested_bytes == before.requested_bytes
            assert s.resume.staging.used_bytes == 0  # type: ignore[attr-defined]
            assert s.auditor.check() == []

    run(scenario())
