"""R1: memory runs out at every allocation of every shipped model, once and from then on."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.adaptors import Failing, Fault, Tracked
from ferrum_cli.live.audit import picture
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.manager import StatePool
from tests.live.specs import CONV_AND_DELTA, OTHER, Tensors, shipped_models, shipped_tensors
from tests.live.stations import run, station


def without_bytes() -> SimulatedDevice:
    """Sizes alone: the states of the largest model are 7 GB."""
    return SimulatedDevice(2**60, backed=False)


def per_tensor(tensors: Tensors, slots: int, **setup: object) -> Station:
    return station(slots, tensors, without_bytes, layout="per-tensor", host_bytes=2**40, **setup)


def distinct_models() -> list[str]:
    """Shipped models, each number of tensors and sorts of tensors once for each architecture."""
    seen: dict[object, str] = {}
    for name in shipped_models():
        tensors = shipped_tensors(name)
        shapes = tuple((t.layer_index, t.name, t.shape, t.dtype) for t in tensors)
        seen.setdefault(shapes, name)
    return sorted(seen.values())


async def refused(s: Station, work: object, request: str, nth: int) -> None:
    """It fails by name, changes nothing and is audited."""
    before = picture(s.manager)
    with pytest.raises(OutOfMemory) as error:
        await work  # type: ignore[misc]
    assert request in str(error.value)
    assert f"tensor {nth} of " in str(error.value)
    assert picture(s.manager) == before
    assert s.failing.fired


@pytest.mark.parametrize("sticky", [False, True])
@pytest.mark.parametrize("model", distinct_models())
def test_at_every_tensor_of_an_allocation(model: str, sticky: bool) -> None:
    tensors = shipped_tensors(model)

    async def scenario() -> None:
        with per_tensor(tensors, 2) as s:
            for nth in range(1, len(tensors) + 1):
                s.failing.arm(Fault("allocate", nth, OutOfMemory, sticky))
                await refused(s, s.manager.allocate(s.spec(0)), str(s.request(0)), nth)
                assert not s.device.live
            assert s.auditor.check() == []
            s.failing.arm(Fault("allocate", len(tensors) + 1, OutOfMemory, sticky))
            await s.manager.allocate(s.spec(0))
            assert s.auditor.check() == []

    run(scenario())


@pytest.mark.parametrize("model", distinct_models())
def test_at_every_tensor_of_a_restore(model: str) -> None:
    tensors = shipped_tensors(model)

    async def scenario() -> None:
        with per_tensor(tensors, 1, resume="snapshot") as s:
            await s.manager.allocate(s.spec(0))
            await s.manager.evict(s.request(0))
            for nth in range(1, len(tensors) + 1):
                s.failing.arm(Fault("allocate", nth))
                await refused(s, s.manager.resume(s.request(0)), str(s.request(0)), nth)
                assert s.manager.is_swapped(s.request(0))
            s.failing.arm(None)
            await s.manager.resume(s.request(0))
            assert s.auditor.check() == []

    run(scenario())


@pytest.mark.parametrize("resume", ["snapshot", "recompute"])
def test_at_every_tensor_of_an_allocation_that_evicts_states_of_another_layout(
    resume: str,
) -> None:
    """The victims stay swapped, which is counted, and each comes back with its own state."""
    victims, budget = 4, 4 * 492 + 100

    async def scenario() -> None:
        for nth in range(1, len(OTHER) + 2):
            with station(
                victims,
                CONV_AND_DELTA,
                layout="per-tensor",
                others=((OTHER, 1),),
                total_memory_bytes=budget,
                eviction="lru",
                resume=resume,
            ) as s:
                for number in range(victims):
                    s.feed(await s.manager.allocate(s.spec(number)), 3)
                s.failing.arm(Fault("allocate", nth))
                wanted = s.spec(9, tensors=OTHER)
                if nth <= len(OTHER):
                    with pytest.raises(OutOfMemory, match=f"tensor {nth} of"):
                        await s.manager.allocate(wanted)
                    assert s.manager.get_handle(s.request(9)) is None
                    assert s.manager.stats().eviction_count == 2
                else:
                    await s.manager.allocate(wanted)
                    await s.manager.deallocate(s.request(9))
                assert s.auditor.check() == []
                s.failing.arm(None)
                for number in range(2):
                    await s.manager.resume(s.request(number))
                assert s.mismatches(h for _, h in s.manager.list_handles()) == []
                await s.manager.allocate(wanted)
                assert s.auditor.check() == []

    run(scenario())


@pytest.mark.parametrize("layout", ["arena", "layer-major"])
def test_when_the_pool_itself_is_opened(layout: str) -> None:
    """A pool that cannot be opened keeps nothing, at whichever of its allocations."""
    tensors = shipped_tensors("lfm2-2.6b")
    for nth in range(1, 2 + len(tensors)):
        device = Tracked(SimulatedDevice(backed=False))
        try:
            StatePool(Failing(device, Fault("allocate", nth)), [(tensors, 2)], layout)
        except OutOfMemory:
            assert not device.live
        else:
            assert nth == 2 if layout == "arena" else nth == 1 + len(tensors)
            return
    raise AssertionError("it never opened")
