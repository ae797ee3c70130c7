"""Buckets of pages → the groups that draw blocks from one pool, and the bytes of one block.

v1/core/kv_cache_planning.py, get_kv_cache_groups, vLLM 0.33.0. A request takes whole blocks from
every group, and a block costs what the largest group needs. It knows nothing about memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ferrum_cli.engines.vllm import packed_groups
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.pages import Bucket, Page, StatePage, unify
from ferrum_cli.engines.vllm.token_pages import TokenPage


@dataclass(frozen=True, slots=True)
class Groups:
    """A bucket split into `count` groups with one block table each."""

    buckets: tuple[Bucket, ...]
    """One, or several whose layers lie side by side in every group."""
    count: int
    padding_layers: int = 0

    @property
    def page(self) -> Page:
        """The page that decides how many blocks a request takes."""
        return self.buckets[0].page

    @property
    def layers(self) -> int:
        """Layers over all ranks, of the page that stands in most."""
        return max(bucket.total for bucket in self.buckets)

    def widest_bytes(self, rank: int) -> int:
        """Bytes of the fullest group on a rank; a bucket's layers go to its groups in turn."""
        return sum(-(-b.layers[rank] // self.count) * b.page.page_bytes for b in self.buckets)


@dataclass(frozen=True, slots=True)
class Grouping:
    """All groups of a model, and what one block costs on each rank."""

    groups: tuple[Groups, ...]
    block_bytes: tuple[int, ...]
    group_size: int
    how: Literal["one", "uniform", "equal_pages", "packed"]


def group(found: list[Bucket], config: Configuration) -> Grouping | None:
    """Group the layers as vLLM does; None where it cannot bring their pages together."""
    if len(found) == 1:
        return _one(found, "one")
    if _uniform(found):
        return _one(found, "uniform")
    sizes = {bucket.page.page_bytes for bucket in found}
    if config.block_outermost and config.rules.packed_groups and len(sizes) > 1:
        return _packed(found)
    if len(sizes) > 1:
        unified = unify(found) if _may_unify(found, config) else None
        if unified is None:
            return None
        found = unified
    return _equal_pages(found, config.rules.group_slack)


def _may_unify(found: list[Bucket], config: Configuration) -> bool:
    """Whether a version had a way: state pages could not be padded at first."""
    if config.rules.unequal_pages == "padded":
        return True
    largest = max(bucket.page.page_bytes for bucket in found)
    return config.rules.unequal_pages == "scaled" and all(
        largest % bucket.page.page_bytes == 0
        and (isinstance(bucket.page, TokenPage) or bucket.page.page_bytes == largest)
        for bucket in found
    )


def _uniform(found: list[Bucket]) -> bool:
    """Whether all layers need the same number of blocks, so that one block table serves all."""
    needs = {_need(bucket.page) for bucket in found}
    return len(needs) == 1


def _need(page: Page) -> tuple[object, ...]:
    """What decides how many blocks a request takes of a page."""
    if isinstance(page, StatePage):
        return ("state", page.page_bytes, page.checkpoint_blocks, page.state.replicated)
    full = page.kind in ("full_attention", "mla_attention")
    return ("full" if full else page.kind, page.block_size, page.window)


def promoted(found: list[Bucket]) -> list[Bucket] | None:
    """Windows as full attention (--disable-hybrid-kv-cache-manager); None if that is not enough."""
    pages = [
        replace(b.page, kind="full_attention", window=None)
        if isinstance(b.page, TokenPage) and b.page.window is not None
        else b.page
        for b in found
    ]
    changed = [Bucket(page, b.layers) for page, b in zip(pages, found, strict=True)]
    return changed if len(changed) == 1 or _uniform(changed) else None


def _one(found: list[Bucket], how: Literal["one", "uniform"]) -> Grouping:
    """A single group of all layers; its block holds the page of every one of them."""
    ranks = range(len(found[0].layers))
    groups = Groups(tuple(found), 1)
    block = tuple(groups.widest_bytes(rank) for rank in ranks)
    return Grouping((groups,), block, sum(bucket.total for bucket in found), how)


def _equal_pages(found: list[Bucket], slack: float) -> Grouping:
    """Groups as large as the smallest bucket, or as the largest where that one is hardly larger."""
    totals = [bucket.total for bucket in found]
    size = max(totals) if max(totals) < slack * min(totals) else min(totals)
    groups = tuple(Groups((b,), -(-b.total // size), -b.total % size) for b in found)
    ranks = range(len(found[0].layers))
    block = tuple(max(g.widest_bytes(rank) for g in groups) for rank in ranks)
    return Grouping(groups, block, size, "equal_pages")


def _packed(found: list[Bucket]) -> Grouping:
    bundles = packed_groups.bundle(found)
    counts = packed_groups.group_counts(bundles)
    groups = tuple(
        Groups(bundle.buckets, count) for bundle, count in zip(bundles, counts, strict=True)
    )
    ranks = range(len(found[0].layers))
    block = tuple(packed_groups.block_bytes(bundles, counts, rank) for rank in ranks)
    size = max(-(-g.layers // g.count) for g in groups)
    return Grouping(groups, block, size, "packed")


def is_state(groups: Groups) -> bool:
    """Whether a group holds recurrent state."""
    return isinstance(groups.page, StatePage)
