"""Layers → buckets of equal pages, which share one size where they share one pool.

v1/core/kv_cache_planning.py, unify_kv_cache_spec_page_size, vLLM 0.33.0 (kv_cache_utils.py until
0.32). It knows nothing about memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ferrum_cli.engines.vllm.alignment import Alignment
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.inventory import Counted, Inventory, keeps_state
from ferrum_cli.engines.vllm.states import State
from ferrum_cli.engines.vllm.token_pages import TokenPage, pages_of


@dataclass(frozen=True, slots=True)
class StatePage:
    """One layer's page of state: content, padding, and blocks of a request."""

    state: State
    page_bytes: int
    mamba_block_size: int
    checkpoint_blocks: int
    """C: a block more in align mode for checkpoints inside a prefill."""


Page = StatePage | TokenPage


@dataclass(frozen=True, slots=True)
class Bucket:
    """Layers with the same page, and how many of them stand on each pipeline rank."""

    page: Page
    layers: tuple[int, ...]

    @property
    def total(self) -> int:
        """Layers over all ranks."""
        return sum(self.layers)


def buckets(
    inventory: Inventory, states: dict[str, State], config: Configuration, alignment: Alignment
) -> list[Bucket]:
    """Every layer's page, equal ones together in the order of their first layer."""
    found: dict[Page, list[int]] = {}
    for counted in inventory.counted:
        for page in _pages(counted, states, config, alignment):
            layers = found.setdefault(page, [0] * len(counted.layers))
            for rank, number in enumerate(counted.layers):
                layers[rank] += number
    return [Bucket(page, tuple(layers)) for page, layers in found.items()]


def _pages(
    counted: Counted, states: dict[str, State], config: Configuration, alignment: Alignment
) -> list[Page]:
    pages: list[Page] = []
    if keeps_state(counted.placed):
        pages.append(_state_page(states[counted.placed.name], config, alignment))
    if counted.placed.caches or not pages:
        pages += pages_of(counted.placed, config, alignment.block_size)
    return pages


def _state_page(state: State, config: Configuration, alignment: Alignment) -> StatePage:
    """Padded to the page of tokens, unless both were equal when the block was sized."""
    declared = alignment.checkpoint_grid is not None and state.checkpoint_grid is not None
    return StatePage(
        state,
        alignment.padded_page_bytes or state.content_bytes,
        alignment.mamba_block_size,
        int(config.mode == "align" and (state.holds_checkpoint or declared)),
    )


def unify(found: list[Bucket]) -> list[Bucket] | None:
    """Bring all pages to the largest: blocks of tokens grow by a whole factor, the rest is padded.

    None where vLLM refuses: a latent page that does not divide the largest.
    """
    largest = max(bucket.page.page_bytes for bucket in found)
    unified = [_enlarged(bucket, largest) for bucket in found]
    merged: dict[Page, list[int]] = {}
    for bucket in unified:
        if bucket is None:
            return None
        layers = merged.setdefault(bucket.page, [0] * len(bucket.layers))
        for rank, number in enumerate(bucket.layers):
            layers[rank] += number
    return [Bucket(page, tuple(layers)) for page, layers in merged.items()]


def _enlarged(bucket: Bucket, size: int) -> Bucket | None:
    page = bucket.page
    if page.page_bytes == size:
        return bucket
    if isinstance(page, StatePage):
        return Bucket(replace(page, page_bytes=size), bucket.layers)
    factor, rest = divmod(size, page.page_bytes)
    if not rest:
        return Bucket(page.resized(page.block_size * factor), bucket.layers)
    if page.kind == "mla_attention":
        return None
    return Bucket(replace(page, page_bytes=size), bucket.layers)
