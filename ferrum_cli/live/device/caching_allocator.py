"""The rules of torch's caching allocator, in pure Python: which segments requests take.

Read in PyTorch 2.13, `c10/core/AllocatorConfig.h` (constants), and
`c10/cuda/CUDACachingAllocator.cpp` (logic), in the default configuration: no expandable segments,
no rounding to powers of two, blocks of any size may be split. It knows nothing about bytes behind
the addresses.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field

from ferrum_cli.errors import OutOfMemory
from ferrum_cli.quantity import format_bytes

MIB = 2**20
MIN_BLOCK = 512
"""kMinBlockSize: requests are rounded up to a multiple of it."""
SMALL_REQUEST = MIB
"""kSmallSize: rounded requests up to it come from the small pool."""
SMALL_SEGMENT = 2 * MIB
"""kSmallBuffer: the segments of the small pool."""
LARGE_SEGMENT = 20 * MIB
"""large_segment_size: the segments for large requests below `OWN_SEGMENT`."""
OWN_SEGMENT = 10 * MIB
"""kMinLargeAlloc: from here on a request has a segment of its own size."""
SEGMENT_UNIT = 2 * MIB
"""kRoundLarge: own segments are multiples of it, as is the driver's page."""


def round_request(size_bytes: int) -> int:
    """round_size: at least 512 bytes, a multiple of 512."""
    return max(MIN_BLOCK, _round_up(size_bytes, MIN_BLOCK))


def segment_for(rounded: int) -> int:
    """get_allocation_size: the segment that a rounded request takes from the driver."""
    if rounded <= SMALL_REQUEST:
        return SMALL_SEGMENT
    return LARGE_SEGMENT if rounded < OWN_SEGMENT else _round_up(rounded, SEGMENT_UNIT)


def _round_up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


@dataclass(eq=False, slots=True)
class Block:
    """A piece of a segment; pieces of one segment are linked in the order of their addresses."""

    address: int
    size_bytes: int
    small: bool
    stream: int
    requested_bytes: int | None = None
    """What was asked for; None while the block is free."""
    before: Block | None = None
    after: Block | None = None


@dataclass(slots=True)
class CachingAllocator:
    """Segments, free blocks and the statistics of one device.

    `limit_bytes` bounds the sum of the segments, as a device's memory or
    `set_per_process_memory_fraction` does. `fail_segments` are the ordinal numbers, from 1, of
    the segments that the driver refuses.
    """

    limit_bytes: int
    fail_segments: frozenset[int] = frozenset()
    requested_bytes: int = 0
    allocated_bytes: int = 0
    reserved_bytes: int = 0
    segments: dict[int, int] = field(default_factory=dict)
    """Address → size of every segment."""
    retries: int = 0
    out_of_memories: int = 0
    _wanted_segments: int = 0
    _next_address: int = SEGMENT_UNIT
    _free: dict[tuple[int, bool], list[tuple[int, int]]] = field(default_factory=dict)
    _blocks: dict[int, Block] = field(default_factory=dict)

    @property
    def inactive_bytes(self) -> int:
        """Free blocks; those that do not fill their segment cannot be given back."""
        return self.reserved_bytes - self.allocated_bytes

    def allocate(self, size_bytes: int, stream: int = 0) -> Block:
        """A block for a request. Raises OutOfMemory when the driver has no segment for it."""
        rounded = round_request(size_bytes)
        small = rounded <= SMALL_REQUEST
        block = self._take_free(rounded, small, stream) or self._new_segment(rounded, small, stream)
        self._split(block, rounded)
        block.requested_bytes = size_bytes
        self.requested_bytes += size_bytes
        self.allocated_bytes += block.size_bytes
        return block

    def free(self, block: Block) -> None:
        """Give a block back to the cache, merged with free neighbours."""
        assert block.requested_bytes is not None  # noqa: S101
        self.requested_bytes -= block.requested_bytes
        self.allocated_bytes -= block.size_bytes
        block.requested_bytes = None
        for neighbour in (block.before, block.after):
            if neighbour is not None and neighbour.requested_bytes is None:
                self._remove_free(neighbour)
                self._merge(block, neighbour)
        self._add_free(block)

    def empty_cache(self) -> None:
        """Give every segment that is one free block back to the driver."""
        for block in list(self._blocks.values()):
            whole = block.before is None and block.after is None
            if whole and block.requested_bytes is None:
                self._remove_free(block)
                del self._blocks[block.address]
                self.reserved_bytes -= self.segments.pop(block.address)

    def _take_free(self, rounded: int, small: bool, stream: int) -> Block | None:
        """The smallest free block that is large enough; blocks never serve another stream."""
        free = self._free.get((stream, small), [])
        position = bisect_left(free, (rounded, 0))
        if position == len(free):
            return None
        _, address = free.pop(position)
        return self._blocks[address]

    def _new_segment(self, rounded: int, small: bool, stream: int) -> Block:
        size = segment_for(rounded)
        self._wanted_segments += 1
        if not self._driver_grants(size):
            self.retries += 1
            self.empty_cache()
            if not self._driver_grants(size):
                self.out_of_memories += 1
                raise OutOfMemory(
                    f"no memory for a segment of {format_bytes(size)}: "
                    f"{format_bytes(self.reserved_bytes)} of {format_bytes(self.limit_bytes)}"
                    " are taken",
                    hint="use fewer requests or a smaller --budget",
                )
        block = Block(self._next_address, size, small, stream)
        self._next_address += _round_up(size, SEGMENT_UNIT)
        self.segments[block.address] = size
        self.reserved_bytes += size
        self._blocks[block.address] = block
        return block

    def _driver_grants(self, size: int) -> bool:
        refused = self._wanted_segments in self.fail_segments
        return not refused and self.reserved_bytes + size <= self.limit_bytes

    def _split(self, block: Block, rounded: int) -> None:
        """should_split: small blocks leave 512 bytes or more behind, large ones more than 1 MiB."""
        rest = block.size_bytes - rounded
        if not (rest >= MIN_BLOCK if block.small else rest > SMALL_REQUEST):
            return
        tail = Block(block.address + rounded, rest, block.small, block.stream)
        tail.before, tail.after = block, block.after
        if block.after is not None:
            block.after.before = tail
        block.after, block.size_bytes = tail, rounded
        self._blocks[tail.address] = tail
        self._add_free(tail)

    def _merge(self, block: Block, neighbour: Block) -> None:
        """Let `block` swallow a free neighbour."""
        del self._blocks[neighbour.address], self._blocks[block.address]
        if neighbour is block.before:
            block.address, block.before = neighbour.address, neighbour.before
            if block.before is not None:
                block.before.after = block
        else:
            block.after = neighbour.after
            if block.after is not None:
                block.after.before = block
        block.size_bytes += neighbour.size_bytes
        self._blocks[block.address] = block

    def _add_free(self, block: Block) -> None:
        insort(
            self._free.setdefault((block.stream, block.small), []),
            (block.size_bytes, block.address),
        )

    def _remove_free(self, block: Block) -> None:
        free = self._free[(block.stream, block.small)]
        del free[bisect_left(free, (block.size_bytes, block.address))]
