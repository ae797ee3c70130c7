"""Keys and values of one sequence: how many tokens each layer of the cache keeps.

DynamicCache grows to the tokens seen and keeps W - 1 of a window; StaticCache reserves its length
at once, and W of a window (transformers 5.24.0, cache_utils.py). It knows nothing about state.
"""

from __future__ import annotations

from ferrum_cli.blocks import Cache, Indexer, KeyValue
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import KeyValueBytes
from ferrum_cli.engines.transformers.options import Chosen
from ferrum_cli.expand import Expanded, ExpandedLayer


def cache_bytes(model: Expanded, chosen: Chosen, windowless: bool) -> KeyValueBytes:
    """Bytes for one sequence; a `windowless` cache keeps all tokens of every layer."""
    layers = tokens_by_layer(model, chosen, windowless)
    positions = position_bytes(model)
    at_length = sum(size * kept_tokens(window, chosen) for size, window in layers)
    return KeyValueBytes(
        bytes_per_token=sum(size for size, window in layers if window is None) + positions,
        window_bytes=sum(size * window for size, window in layers if window is not None),
        bytes_at_context=at_length + positions * chosen.seq_len,
    )


def tokens_by_layer(
    model: Expanded, chosen: Chosen, windowless: bool
) -> list[tuple[int, int | None]]:
    """Bytes of one token in every cache of a layer, and the window that it is kept in."""
    return [
        (
            cache.elements_per_token * chosen.dtype.size_bytes,
            None if windowless else _window(cache, chosen.static),
        )
        for layer in model.cache_layers
        for _, cache in layer.caches
    ]


def kept_tokens(window: int | None, chosen: Chosen) -> int:
    """Tokens that a layer holds when `seq_len` have been seen."""
    length = chosen.reserved_tokens if chosen.static else chosen.seq_len
    return length if window is None else min(length, window)


def prefill_window_bytes(model: Expanded, chosen: Chosen) -> int:
    """Bytes that windows hold after a prompt of `seq_len` and before the next token.

    The kept rows are a view of the prompt's keys and values, which stay alive with it
    (DynamicSlidingWindowLayer.update).
    """
    token = sum(
        cache.elements_per_token
        for layer in model.cache_layers
        for _, cache in layer.caches
        if _window(cache, chosen.static) is not None
    )
    return token * chosen.dtype.size_bytes * chosen.seq_len


def layer_types(model: Expanded) -> frozenset[str]:
    """The types of cache layer that a model asks for, by their names in `layer_types`."""
    return frozenset(_layer_type(layer) for layer in model.layers)


def _layer_type(layer: ExpandedLayer) -> str:
    attention = _attention_type(layer)
    kinds = [placed.block.kind for placed, _ in layer.state]
    if attention and kinds:
        return "hybrid_sliding" if attention == "sliding_attention" else "hybrid"
    if kinds:
        return "conv" if kinds == ["short_conv"] else "linear_attention"
    return attention or "dummy"


def _attention_type(layer: ExpandedLayer) -> str | None:
    found = None
    for placed, cache in layer.caches:
        if isinstance(cache, Indexer):
            return "indexed_attention"
        chunked = isinstance(placed.block, Attention) and placed.block.chunk
        windowed = "chunked_attention" if chunked else "sliding_attention"
        found = windowed if _window(cache, static=True) else "full_attention"
    return found


def _window(cache: Cache, static: bool) -> int | None:
    """Tokens of a full window, or None where the layer grows.

    A window of one token grows in DynamicCache: its slice `[-W + 1:]` is then the whole.
    """
    window = cache.window if isinstance(cache, KeyValue) else None
    if window is None or static:
        return window
    return window - 1 or None


def position_bytes(model: Expanded) -> int:
    """int64 positions for one token: the first indexed layer keeps them for all.

    models/qwen4_exp/modeling_qwen4_exp.py; they count tokens seen, in a static cache too.
    """
    for layer in model.cache_layers:
        for _, cache in layer.caches:
            if isinstance(cache, Indexer):
                return cache.positions * DType.INT64.size_bytes
    return 0
