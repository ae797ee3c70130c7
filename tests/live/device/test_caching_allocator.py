"""The simulated allocator against tables worked out by hand and against torch's own behaviour."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.live.device.caching_allocator import (
    MIB,
    Block,
    CachingAllocator,
    round_request,
    segment_for,
)

GIB = 2**30
SLOT = 77_266_944  # Qwen3-Next: 36 x (8192*3*2 + 32*128*128*4)

# What each series of requests takes, worked out on paper from the rules in live_memory 1.1:
# requests -> allocated bytes, segments in the order they are taken.
BY_HAND = [
    ("the smallest request is a block of 512", [1], 512, [2 * MIB]),
    ("513 bytes are two units", [513], 1024, [2 * MIB]),
    ("two requests of 1 MiB share a small segment", [MIB, MIB], 2 * MIB, [2 * MIB]),
    ("a third opens the next", [MIB] * 3, 3 * MIB, [2 * MIB, 2 * MIB]),
    ("above 1 MiB is large", [MIB + 1], MIB + 512, [20 * MIB]),
    ("small and large do not mix", [512, 2 * MIB], 512 + 2 * MIB, [2 * MIB, 20 * MIB]),
    ("six of 3 MiB leave 2 MiB unused", [3 * MIB] * 6, 18 * MIB, [20 * MIB]),
    ("so the seventh opens the next", [3 * MIB] * 7, 21 * MIB, [20 * MIB, 20 * MIB]),
    ("10 MiB have a segment of their own", [10 * MIB], 10 * MIB, [10 * MIB]),
    ("less than 10 MiB do not", [10 * MIB - 512], 10 * MIB - 512, [20 * MIB]),
    ("a tail of 1 MiB or less is swallowed", [SLOT], 74 * MIB, [74 * MIB]),
    # 12 x 1.5 = 18, the thirteenth takes the remaining 2 MiB whole.
    ("also at the end of a shared segment", [3 * MIB // 2] * 13, 20 * MIB, [20 * MIB]),
    ("a tail of more than 1 MiB is split off", [9 * MIB, 9 * MIB], 18 * MIB, [20 * MIB]),
]


@pytest.mark.parametrize(("what", "sizes", "allocated", "segments"), BY_HAND)
def test_a_series_of_requests_takes_these_segments(
    what: str, sizes: list[int], allocated: int, segments: list[int]
) -> None:
    del what  # it names the case
    allocator = CachingAllocator(GIB)
    for size in sizes:
        allocator.allocate(size)
    assert list(allocator.segments.values()) == segments
    assert allocator.allocated_bytes == allocated
    assert allocator.requested_bytes == sum(sizes)
    assert allocator.reserved_bytes == sum(segments)


# live_memory 1.1: what 36 layers of conv 49,152 B and delta 2,097,152 B take beyond the estimate.
CONV, DELTA, LAYERS = 49_152, 2_097_152, 36
PREDICTED = [
    ("per-tensor", 1, 0, 8_716_288, 5),
    ("per-tensor", 64, 0, 14_680_064, 286),
    ("slab per tensor and layer", 64, 0, 12_582_912, 42),
    ("two stacked slabs", 64, 0, 0, 2),
    ("one arena", 1, 327_680, 327_680, 1),
    ("one arena", 16, 1_048_576, 1_048_576, 1),
    ("one arena", 64, 0, 0, 1),
    ("one blob per slot", 16, 5_242_880, 5_242_880, 16),
]


def requests(layout: str, slots: int) -> list[int]:
    """The allocations that a layout asks for."""
    return {
        "per-tensor": [CONV, DELTA] * LAYERS * slots,
        "slab per tensor and layer": [CONV * slots, DELTA * slots] * LAYERS,
        "two stacked slabs": [CONV * LAYERS * slots, DELTA * LAYERS * slots],
        "one arena": [SLOT * slots],
        "one blob per slot": [SLOT] * slots,
    }[layout]


@pytest.mark.parametrize(("layout", "slots", "allocated", "reserved", "segments"), PREDICTED)
def test_layouts_cost_what_was_predicted_for_torch(
    layout: str, slots: int, allocated: int, reserved: int, segments: int
) -> None:
    allocator = CachingAllocator(80 * GIB)
    for size in requests(layout, slots):
        allocator.allocate(size)
    assert allocator.allocated_bytes - SLOT * slots == allocated
    assert allocator.reserved_bytes - SLOT * slots == reserved
    assert len(allocator.segments) == segments


def test_free_neighbours_merge_and_serve_a_larger_request() -> None:
    allocator = CachingAllocator(GIB)
    blocks = [allocator.allocate(5 * MIB) for _ in range(4)]
    allocator.free(blocks[1])
    allocator.free(blocks[2])
    # 9 of the merged 10 MiB: the tail of 1 MiB is not split off.
    assert allocator.allocate(9 * MIB).size_bytes == 10 * MIB
    assert allocator.reserved_bytes == 20 * MIB


def test_the_smallest_block_that_fits_is_taken() -> None:
    allocator = CachingAllocator(GIB)
    large, _, small, _ = (allocator.allocate(size * MIB) for size in (30, 12, 14, 12))
    allocator.free(large)
    allocator.free(small)
    assert allocator.allocate(13 * MIB).address == small.address


def test_a_freed_block_never_serves_another_stream() -> None:
    allocator = CachingAllocator(GIB)
    allocator.free(allocator.allocate(12 * MIB, stream=1))
    allocator.allocate(12 * MIB, stream=2)
    assert len(allocator.segments) == 2


def test_cached_segments_are_released_before_memory_is_out() -> None:
    allocator = CachingAllocator(40 * MIB)
    allocator.free(allocator.allocate(20 * MIB))
    allocator.allocate(30 * MIB)
    assert (allocator.reserved_bytes, allocator.retries) == (30 * MIB, 1)


def test_memory_is_out_at_the_segment_that_exceeds_the_limit() -> None:
    allocator = CachingAllocator(40 * MIB)
    for _ in range(12):
        allocator.allocate(3 * MIB)
    with pytest.raises(OutOfMemory, match=r"segment of 20.00 MiB: 40.00 MiB of 40.00 MiB"):
        allocator.allocate(3 * MIB)
    assert allocator.requested_bytes == 36 * MIB


def test_the_named_segment_is_refused_and_the_next_is_not() -> None:
    allocator = CachingAllocator(GIB, fail_segments=frozenset({2}))
    allocator.allocate(10 * MIB)
    with pytest.raises(OutOfMemory):
        allocator.allocate(10 * MIB)
    allocator.allocate(10 * MIB)
    assert len(allocator.segments) == 2


def test_a_segment_with_one_live_block_is_not_given_back() -> None:
    allocator = CachingAllocator(GIB)
    first, second = allocator.allocate(3 * MIB), allocator.allocate(3 * MIB)
    allocator.free(first)
    allocator.empty_cache()
    assert allocator.reserved_bytes == 20 * MIB
    allocator.free(second)
    allocator.empty_cache()
    assert (allocator.reserved_bytes, allocator.allocated_bytes) == (0, 0)


@given(st.integers(1, 2**36))
def test_a_segment_always_holds_its_request(size: int) -> None:
    rounded = round_request(size)
    assert size <= rounded <= segment_for(rounded)
    assert rounded % 512 == 0
    assert segment_for(rounded) % (2 * MIB) == 0


@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_blocks_never_overlap_and_always_cover_their_segments(
    rng: random.Random, steps: int
) -> None:
    allocator = CachingAllocator(4 * GIB)
    live: list[Block] = []
    for _ in range(steps):
        if live and rng.random() < 0.45:
            allocator.free(live.pop(rng.randrange(len(live))))
        else:
            live.append(
                allocator.allocate(rng.choice([100, 5000, MIB, 3 * MIB, 11 * MIB, 21 * MIB]))
            )
    ranges = sorted((block.address, block.size_bytes) for block in live)
    assert all(a + n <= b for (a, n), (b, _) in itertools.pairwise(ranges))
    assert allocator.allocated_bytes == sum(size for _, size in ranges)
    assert allocator.requested_bytes == sum(block.requested_bytes or 0 for block in live)
    for block in live:
        allocator.free(block)
    allocator.empty_cache()
    assert (allocator.reserved_bytes, allocator.inactive_bytes) == (0, 0)
