"""Figures of the caches of a context, and of one request's, with formula and source.

It knows nothing about devices or about how many slots fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ferrum_cli.engines._engine import Figure
from ferrum_cli.engines._formula import summed
from ferrum_cli.engines.llama_cpp.capacity import context_of_slot
from ferrum_cli.engines.llama_cpp.context import Context, KvCache, token_bytes
from ferrum_cli.engines.llama_cpp.inventory import CacheKind
from ferrum_cli.engines.llama_cpp.launch import Sizes
from ferrum_cli.engines.llama_cpp.requirement import Deployment


def cache_figures(deployment: Deployment, version: str) -> Iterator[Figure]:
    """Caches as they are allocated, and what one token and one request add."""
    source = f"{version}, src/llama-kv-cache.cpp"
    sizes = deployment.launch.sizes()
    context, draft = deployment.context(sizes), deployment.draft(sizes)
    yield Figure("kv_bytes", context.kv_bytes, _formula(context), source, "size")
    drafts = _formula(draft) if draft is not None else "0 B, no second context"
    yield Figure("draft_kv_bytes", draft.kv_bytes if draft else 0, drafts, source, "size")
    for cache in context.caches:
        yield from _cache(deployment, cache, sizes, source)
    yield from _request(deployment, source)


def _formula(context: Context) -> str:
    return " + ".join(map(_cache_formula, context.caches)) or "0 B, no cache"


def _cache_formula(cache: KvCache) -> str:
    """Cells of every stream times the rows of K and V."""
    tokens = max(1, cache.cells * cache.streams)
    rows = Counter((k // tokens, v // tokens) for _, k, v in cache.layers)
    layers = " + ".join(f"{n} layers × ({k} B of K + {v} B of V)" for (k, v), n in rows.items())
    return f"{cache.cells} cells × {cache.streams} streams × ({layers or '0 layers'})"


def _cache(deployment: Deployment, cache: KvCache, sizes: Sizes, source: str) -> Iterator[Figure]:
    name = f"kv_caches.{cache.kind.value}"
    launch = deployment.launch
    cells = f"{sizes.n_ctx_seq} cells, n_ctx_seq"
    if cache.kind is CacheKind.WINDOW and not launch.swa_full:
        sharing = sizes.slots if launch.unified else 1
        window = f"{deployment.inventory.window} tokens × {sharing} + {launch.ubatch} of a batch"
        cells = f"⌈min({sizes.n_ctx_seq}, {window}) / 256⌉ × 256"
    yield Figure(f"{name}.cells", cache.cells, cells, source, "cells")
    shared = "one for all" if cache.streams == 1 else "one for each slot"
    yield Figure(f"{name}.streams", cache.streams, f"{cache.streams}, {shared}", source, "seqs")
    tokens = max(1, cache.cells * cache.streams)
    kinds = (("k", cache.k_bytes, launch.type_k), ("v", cache.v_bytes, launch.type_v))
    for (letter, size, kind), place in zip(kinds, (1, 2), strict=True):
        rows = summed((layer[place] // tokens for layer in cache.layers), "layers", "B")
        formula = f"{cache.cells} cells × {cache.streams} streams × ({_bare(rows)})"
        yield Figure(
            f"{name}.{letter}_bytes", size, formula, source, f"{letter.upper()} ({kind.name})"
        )


def _bare(rows: str) -> str:
    """Without a remark, to stand in parentheses."""
    return rows.partition(",")[0]


def _request(deployment: Deployment, source: str) -> Iterator[Figure]:
    """One slot alone, with the context that it is to hold."""
    launch, found = deployment.launch, deployment.inventory
    context = deployment.context(launch.sizes(1, context_of_slot(deployment)))
    growing = [x for x in found.caches if x.kind is not CacheKind.WINDOW or launch.swa_full]
    tokens = [token_bytes(x, launch, found.widest_v) for x in growing]
    yield Figure("kv_bytes_per_token", sum(tokens), summed(tokens, "layers", "B"), source)
    windows = [] if launch.swa_full else [c for c in context.caches if c.kind is CacheKind.WINDOW]
    formula = " + ".join(map(_cache_formula, windows)) or "0 B, no window"
    size = sum(cache.size_bytes for cache in windows)
    yield Figure("kv_window_bytes", size, formula, source)
    yield Figure("kv_bytes_at_context", context.kv_bytes, _formula(context), source)
