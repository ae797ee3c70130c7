"""Layouts whose outermost axis is the block: pages of different sizes lie side by side in it.

v1/core/kv_cache_planning.py, _get_packed_kv_cache_groups and _approximate_gcd, vLLM 0.33.0
(GLM-5-Next). Layers of one type and equal number, such as a latent attention and its indexer, make
a pattern that stays together; state is split until it fits the block that patterns need. It knows
nothing about memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ferrum_cli.engines.vllm.pages import Bucket, Page, StatePage


@dataclass(frozen=True, slots=True)
class Bundle:
    """Buckets of one type: the pages of one repeat of the pattern, and where they stand."""

    buckets: tuple[Bucket, ...]
    pages: tuple[Page, ...]
    widths: tuple[int, ...]
    """Layers of each page over all ranks."""

    @classmethod
    def of(cls, buckets: list[Bucket]) -> Bundle:
        """Buckets side by side."""
        return cls(tuple(buckets), tuple(b.page for b in buckets), tuple(b.total for b in buckets))

    @property
    def balanced(self) -> bool:
        """Whether every page stands in equally many layers."""
        return len(set(self.widths)) == 1

    @property
    def repeats(self) -> int:
        """Layers of the most frequent page."""
        return max(self.widths)

    def is_state(self, patterned: bool) -> bool:
        """Whether the bundle may be split down to one page for each group."""
        page = self.pages[0]
        if isinstance(page, StatePage) or page.kind == "circular_buffer":
            return True
        return page.kind == "sliding_window" and not patterned

    def widest_bytes(self, count: int) -> int:
        """Bytes of the largest of `count` groups, over all ranks."""
        return sum(
            -(-width // count) * page.page_bytes
            for width, page in zip(self.widths, self.pages, strict=True)
        )


def bundle(found: list[Bucket]) -> list[Bundle]:
    """Put buckets of one type together: all full attention of one block size, else each alone."""
    bundles: dict[object, list[Bucket]] = {}
    for position, bucket in enumerate(found):
        page = bucket.page
        full = not isinstance(page, StatePage) and page.kind in ("full_attention", "mla_attention")
        key: object = ("full", page.block_size) if full else position  # type: ignore[union-attr]
        bundles.setdefault(key, []).append(bucket)
    return [Bundle.of(buckets) for buckets in bundles.values()]


def group_counts(bundles: list[Bundle]) -> list[int]:
    """Groups of each bundle: patterns by the repeats that pad least, state so that it fits."""
    smallest = max((b.repeats for b in bundles if b.balanced and len(b.pages) > 1), default=0)
    repeats = (
        least_padding([b.repeats for b in bundles if b.balanced], smallest) if smallest else None
    )
    patterned = repeats is not None
    counts = [-(-b.repeats // repeats) if repeats and b.balanced else 1 for b in bundles]
    anchor = max(
        b.widest_bytes(sum(b.widths) if b.is_state(patterned) else count)
        for b, count in zip(bundles, counts, strict=True)
    )
    return [
        max(count, -(-sum(b.widths) // max(anchor // b.pages[0].page_bytes, 1)))
        if b.is_state(patterned)
        else count
        for b, count in zip(bundles, counts, strict=True)
    ]


def least_padding(numbers: list[int], lowest: int) -> int:
    """The divisor from `lowest` to the largest number that rounds them up least; ties go up."""
    return min(
        range(max(1, lowest), max(numbers) + 1),
        key=lambda divisor: (sum(-number % divisor for number in numbers), -divisor),
    )


def block_bytes(bundles: list[Bundle], counts: list[int], rank: int) -> int:
    """Bytes of one block on a rank: its widest group, rounded up to every page's stride."""
    widest = max(
        sum(bucket.page.page_bytes * -(-bucket.layers[rank] // count) for bucket in b.buckets)
        for b, count in zip(bundles, counts, strict=True)
    )
    strides = [p.stride for b in bundles for p in b.pages if not isinstance(p, StatePage)]
    stride = math.lcm(*strides) if strides else 1
    return stride * -(-widest // stride)
