"""What layouts cost on torch's allocator beyond the estimate, for every shipped model."""

from __future__ import annotations

import pytest

from ferrum_cli.contract import Device
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import open_storage
from tests.live.specs import QWEN3_NEXT, Tensors, shipped_models, shipped_tensors, spec

MIB = 2**20


def reserved_and_estimate(layout: str, tensors: Tensors, slots: int) -> tuple[int, int, int]:
    """Reserved bytes, the contract's estimate, and the number of segments."""
    device = SimulatedDevice(2**60, backed=False)
    storage = open_storage(layout, device, tensors, slots)
    storage.take(slots)
    estimate = spec(0, tensors, slots, Device.cuda(0)).estimated_memory_bytes()
    stats = device.stats()
    assert stats.reserved_bytes is not None
    assert stats.segments is not None
    return stats.reserved_bytes, estimate, stats.segments


@pytest.mark.parametrize("slots", [1, 16, 64])
@pytest.mark.parametrize("model", shipped_models())
def test_an_arena_costs_less_than_one_page_of_the_driver_or_one_segment(
    model: str, slots: int
) -> None:
    reserved, estimate, segments = reserved_and_estimate("arena", shipped_tensors(model), slots)
    assert segments == 1
    assert reserved >= estimate
    if estimate >= 10 * MIB:
        assert reserved - estimate < 2 * MIB
    else:
        assert reserved in (2 * MIB, 20 * MIB)


# Qwen3-Next: the table of live_memory 1.1.
QWEN = [
    ("arena", 1, 327_680),
    ("arena", 16, 1_048_576),
    ("arena", 64, 0),
    ("layer-major", 64, 12_582_912),
    ("per-tensor", 1, 8_716_288),
    ("per-tensor", 64, 14_680_064),
]


@pytest.mark.parametrize(("layout", "slots", "over"), QWEN)
def test_qwen3_next_costs_what_was_predicted(layout: str, slots: int, over: int) -> None:
    reserved, estimate, _ = reserved_and_estimate(layout, QWEN3_NEXT, slots)
    assert reserved - estimate == over
