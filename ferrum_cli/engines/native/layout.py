"""Parts → tensors and bytes by the contract's rules.

Convolutions keep K − 1 inputs, channels first; convolution and shift state have the model's dtype,
recurrent state is FP32. It knows nothing about memory or requests.
"""

from __future__ import annotations

from collections.abc import Iterable

from ferrum_cli.blocks import Cache, Context, Indexer, KeyValue, Matrix, Part, Role, Vector, Window
from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import KeyValueBytes, StateTensor
from ferrum_cli.expand import ExpandedLayer, units_on_rank
from ferrum_cli.expand.sharding import size_on_rank

DTYPE_RULE = "contract: convolution and shift state in the model's dtype, recurrent state FP32"


def state_tensors(
    layers: Iterable[ExpandedLayer], tp: int, model_dtype: DType
) -> tuple[StateTensor, ...]:
    """The tensors of one slot on one of `tp` ranks, layer by layer."""
    shapes: dict[int, tuple[int, ...]] = {}
    tensors = []
    for layer in layers:
        for _, part in layer.state:
            if id(part) not in shapes:
                shapes[id(part)] = shape_on_rank(part, tp)
            dtype = dtype_of_role(part.role, model_dtype)
            tensors.append(StateTensor(layer.index, part.name, shapes[id(part)], dtype))
    return tuple(tensors)


def dtype_of_role(role: Role, model_dtype: DType) -> DType:
    """The dtype in which the contract's engine keeps a part."""
    match role:
        case Role.RECURRENT:
            return DType.FP32
        case Role.CONTEXT:
            return DType.INT64
        case Role.CONV | Role.SHIFT:
            return model_dtype


def shape_on_rank(part: Part, tp: int) -> tuple[int, ...]:
    """The shape of a part on one of `tp` ranks. Raises ShardingError where heads do not divide."""
    match part:
        case Window(channels=channels):
            return (sum(size_on_rank(axis, tp) for axis in channels), part.history)
        case Matrix(heads=heads, value_dim=value_dim, key_dim=key_dim):
            inner = (key_dim,) if value_dim == 1 else (value_dim, key_dim)
            return (size_on_rank(heads, tp), *inner)
        case Vector(axis=axis, flat=flat):
            units = units_on_rank(axis, tp)
            return (units * axis.width,) if flat else (units, axis.width)
        case Context(length=length):
            return (length,)


def cache_bytes(
    layers: Iterable[ExpandedLayer], tp: int, dtype: DType, context: int
) -> KeyValueBytes:
    """KV cache of one request on one of `tp` ranks; KV heads are replicated beyond their number."""
    per_token = windows = at_context = 0
    for layer in layers:
        for _, cache in layer.caches:
            token = token_bytes(cache, tp, dtype)
            window = cache.window if isinstance(cache, KeyValue) else None
            if window is None:
                per_token += token
                at_context += token * context
            else:
                windows += token * window
                at_context += token * min(context, window)
    return KeyValueBytes(per_token, windows, at_context)


def token_bytes(cache: Cache, tp: int, dtype: DType) -> int:
    """Bytes that one token adds to one layer's cache on one rank."""
    elements = cache.elements_per_token
    if isinstance(cache, KeyValue):
        elements = elements // cache.heads * max(1, cache.heads // tp)
    positions = cache.positions if isinstance(cache, Indexer) else 0
    return elements * dtype.size_bytes + positions * DType.INT64.size_bytes
