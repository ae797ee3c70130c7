"""Figures of groups, of one slot and of one request's caches, with formula and file.

It knows nothing about memory, nor about how figures are shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import Figure
from ferrum_cli.engines._formula import by_rank, largest, slot, summed
from ferrum_cli.engines.vllm.groups import Grouping, Groups
from ferrum_cli.engines.vllm.layout import kept_tokens, key_value_bytes, state_tensors
from ferrum_cli.engines.vllm.pages import StatePage
from ferrum_cli.engines.vllm.pool import needed
from ferrum_cli.engines.vllm.start import Start
from ferrum_cli.engines.vllm.token_pages import TokenPage

_STATES = "model_executor/layers/mamba/mamba_utils.py"
_PAGES = "v1/kv_cache_interface.py"
_UTILS = "v1/core/kv_cache_utils.py"


def slot_figures(found: Start, source: str) -> Iterator[Figure]:
    """The state of one slot on the first rank."""
    tensors = state_tensors(found.question.model, found.outcome)
    size = sum(tensor.size_bytes for tensor in tensors)
    yield Figure("bytes_per_slot", size, slot(tensors), f"{source}, {_STATES}")


def cache_figures(found: Start, source: str) -> Iterator[Figure]:
    """Content of one request's caches on the first rank, without blocks or padding."""
    file, context = f"{source}, {_PAGES}", found.config.context
    pages = [(b.page, b.layers) for b in found.outcome.buckets if isinstance(b.page, TokenPage)]
    kv = key_value_bytes(found.outcome)
    grown, windows, held = [], [], []
    for page, layers in pages:
        limit = kept_tokens(page)
        if limit is None:
            grown += [page.token_bytes] * layers[0]
        else:
            windows += [page.token_bytes * limit] * layers[0]
        tokens = -(-context // found.config.dcp)
        filled = tokens if limit is None else min(tokens, limit)
        held += [page.token_bytes * filled] * layers[0]
    for name, value, sizes in (
        ("kv_bytes_per_token", kv.bytes_per_token, grown),
        ("kv_window_bytes", kv.window_bytes, windows),
        ("kv_bytes_at_context", kv.bytes_at_context, held),
    ):
        yield Figure(name, value, _whole(summed(sizes, "layers", "B"), sizes), file)
    totals = [
        [layers[rank] * page.token_bytes for page, layers in pages]
        for rank in range(len(found.outcome.inventory.partition))
    ]
    yield from by_rank(
        "attention_bytes_per_token_per_rank",
        [sum(sizes) for sizes in totals],
        [summed(sizes, "kinds of layer", "B") for sizes in totals],
        file,
    )


def _whole(formula: str, sizes: list[float]) -> str:
    """Cut to a whole number where tokens share rows."""
    fractions = any(size != int(size) for size in sizes)
    return f"⌊{formula}⌋" if fractions else formula


def group_figures(found: Start, grouping: Grouping, source: str) -> Iterator[Figure]:
    """Every group of layers, and what a block costs on every rank."""
    file = f"{source}, {_UTILS}"
    for position, groups in enumerate(grouping.groups):
        for name, value, formula in _group(found, groups, grouping):
            yield Figure(f"kv_cache_groups.{position}.{name}", value, formula, file)
    ranks = range(len(grouping.block_bytes))
    formulas = [block_formula(grouping, rank) for rank in ranks]
    yield from by_rank("pool_bytes_per_block_per_rank", grouping.block_bytes, formulas, file)


def block_formula(grouping: Grouping, rank: int) -> str:
    """What one block costs on a rank: the pages of the group that has most there."""
    if grouping.how == "packed":
        return f"{grouping.block_bytes[rank]} B, pages of all groups laid side by side"
    return largest([_widest(groups, rank) for groups in grouping.groups])


def _widest(groups: Groups, rank: int) -> str:
    return " + ".join(
        f"⌈{bucket.layers[rank]} layers / {groups.count} groups⌉ × {bucket.page.page_bytes} B"
        for bucket in groups.buckets
    )


def _group(found: Start, groups: Groups, grouping: Grouping) -> Iterator[tuple[str, int, str]]:
    page, size = groups.page, grouping.group_size
    length = found.outcome.pool.max_model_len if found.outcome.pool else found.config.max_model_len
    equal = grouping.how == "equal_pages"
    count = f"⌈{groups.layers} layers / {size} layers a group⌉" if equal else "1 group, of all"
    yield "groups", groups.count, count if equal or groups.count == 1 else f"{groups.count} groups"
    yield "layers", groups.layers, f"{groups.layers} layers with such a page, over all ranks"
    padding = f"{groups.count} groups × {size} layers − {groups.layers} layers" if equal else "0"
    yield "padding_layers", groups.padding_layers, padding
    block = page.mamba_block_size if isinstance(page, StatePage) else page.block_size
    between = "from state to state" if isinstance(page, StatePage) else "in a block"
    yield "block_size", block, f"{block} tokens {between}"
    pages = [bucket.page.page_bytes for bucket in groups.buckets]
    yield "page_bytes", sum(pages), summed(pages, "page", "B")
    blocks = needed(page, found.config, length)
    by_length = isinstance(page, TokenPage) and blocks == -(-length // page.block_size)
    counted = f"⌈{length} tokens / {block} tokens a block⌉" if by_length else f"{blocks} blocks"
    yield "blocks_per_request", blocks, counted
