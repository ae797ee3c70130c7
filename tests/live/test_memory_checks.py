"""Verification of bytes: what is right holds, and what is not is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ferrum_cli.live.adaptors._adaptor import Adaptor
from ferrum_cli.live.check import Check, Verdict
from ferrum_cli.live.device import Buffer, DeviceMemory, MemoryStats
from ferrum_cli.live.device.cpu import CpuDevice
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import layouts
from ferrum_cli.live.manager import StatePool
from ferrum_cli.live.memory_checks import given_back, overhead_note, prediction, resident, taken
from tests.live.specs import CONV_AND_DELTA, QWEN3_NEXT, Tensors, spec

MIB = 2**20


def failing(checks: list[Check]) -> list[str]:
    return [check.name for check in checks if check.verdict is Verdict.FAILS]


def verified(device: DeviceMemory, layout: str, slots: int) -> list[Check]:
    before, free = device.stats(), device.limits().free_bytes
    pool = StatePool(device, [(QWEN3_NEXT, slots)], layout)
    pool.storages[0].take(slots)
    checks = [*taken(pool, before, free), *resident("resident set", before, device.stats())]
    pool.close()
    return [*checks, *given_back(device, before)]


@pytest.mark.parametrize("layout", layouts())
def test_every_layout_takes_what_it_should_and_gives_it_back(layout: str) -> None:
    assert failing(verified(SimulatedDevice(backed=False), layout, 16)) == []
    assert failing(verified(CpuDevice(), layout, 1)) == []


@pytest.mark.parametrize("layout", layouts())
def test_the_prediction_is_for_the_slots_that_are_taken(layout: str) -> None:
    pool = StatePool(SimulatedDevice(backed=False), [(QWEN3_NEXT, 4)], layout)
    pool.storages[0].take(2)
    assert prediction(pool) == pool.device.stats()


class Greedy(Adaptor):
    """A device whose allocations are larger than what was asked for."""

    def allocate(self, size_bytes: int) -> Buffer:
        buffer = self.inner.allocate(size_bytes + 4 * MIB)
        buffer.tensor, buffer.size_bytes = buffer.tensor.narrow(0, 0, size_bytes), size_bytes
        return buffer


class Hoarder(Adaptor):
    """A device that frees nothing."""

    def free(self, buffer: Buffer) -> None:
        pass


def test_bytes_beyond_the_estimate_are_found_in_every_figure() -> None:
    found = failing(verified(Greedy(SimulatedDevice(backed=False)), "arena", 2))
    assert found == ["requested bytes", "allocated bytes", "reserved bytes"]
    assert "requested bytes" in failing(verified(Greedy(CpuDevice()), "arena", 1))


def test_bytes_that_are_not_given_back_are_found() -> None:
    found = failing(verified(Hoarder(SimulatedDevice(backed=False)), "arena", 2))
    assert found == ["requested bytes after closing", "reserved bytes after closing"]


def test_an_estimate_that_holds_on_paper_alone_is_found_on_the_host() -> None:
    class Untouched(CpuDevice):
        """Says that it mapped pages, which it did not."""

        def stats(self) -> MemoryStats:
            real = super().stats()
            return replace(real, mapped_bytes=2 * (real.mapped_bytes or 0))

    assert failing(verified(Untouched(), "arena", 1)) == ["resident set"]


# model's tensors, slots, layout, words of the note
NOTES = [
    (QWEN3_NEXT, 16, "arena", "1.00 MiB (0.08 %) beyond the estimate: the driver's pages of 2 MiB"),
    (CONV_AND_DELTA, 1, "arena", "one segment of 2.00 MiB, the least that torch reserves"),
    (CONV_AND_DELTA, 4000, "arena", "one segment of 20.00 MiB, the least that torch reserves"),
    (QWEN3_NEXT, 4, "per-tensor", "segments of 2 and 20 MiB that small tensors share"),
]


@pytest.mark.parametrize(("tensors", "slots", "layout", "words"), NOTES)
def test_what_the_allocator_adds_is_named(
    tensors: Tensors, slots: int, layout: str, words: str
) -> None:
    pool = StatePool(SimulatedDevice(backed=False), [(tensors, slots)], layout)
    pool.storages[0].take(slots)
    note = overhead_note(pool, spec(0, tensors, slots).estimated_memory_bytes())
    assert note is not None
    assert words in note


def test_a_host_adds_nothing() -> None:
    assert overhead_note(StatePool(CpuDevice(), [(CONV_AND_DELTA, 1)]), 492) is None
