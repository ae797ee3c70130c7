"""A block whose parts and weights the description lists itself, for an architecture without a kind.

It knows nothing about what the block computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ferrum_cli.blocks._block import Block, Count, Size
from ferrum_cli.blocks._parts import (
    Axis,
    Cache,
    Context,
    Indexer,
    KeyValue,
    Latent,
    Matrix,
    Part,
    Role,
    Split,
    Vector,
    Weight,
    Window,
)

Sharding = Literal["heads", "groups", "kv_heads", "query_heads", "columns", "replicated"]
"""How units spread over tensor-parallel ranks: the values of `Split`."""

Purpose = Literal["conv", "recurrent", "shift", "context"]
"""What a part is for: the values of `Role`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomWindow:
    """The past inputs of a convolution, or of a token shift, over `units × width` channels."""

    name: str
    units: Size
    width: Size = 1
    kernel: Size
    split: Sharding = "heads"
    role: Purpose = "conv"

    def part(self) -> Window:
        """This window as a part."""
        channels = Axis(self.units, self.width, Split(self.split))
        return Window(self.name, (channels,), self.kernel, Role(self.role))


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomMatrix:
    """A recurrent matrix of `value_dim × key_dim` for each head."""

    name: str
    num_heads: Size
    value_dim: Size
    key_dim: Size
    split: Sharding = "heads"
    role: Purpose = "recurrent"

    def part(self) -> Matrix:
        """This matrix as a part."""
        heads = Axis(self.num_heads, split=Split(self.split))
        return Matrix(self.name, heads, self.value_dim, self.key_dim, Role(self.role))


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomVector:
    """A recurrent vector of `units × width` elements, flat or with a row for each unit."""

    name: str
    units: Size
    width: Size = 1
    flat: bool = True
    split: Sharding = "heads"
    role: Purpose = "recurrent"

    def part(self) -> Vector:
        """This vector as a part."""
        axis = Axis(self.units, self.width, Split(self.split))
        return Vector(self.name, axis, self.flat, Role(self.role))


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomContext:
    """The last `length` token ids, as int64."""

    name: str
    length: Size

    def part(self) -> Context:
        """This context as a part."""
        return Context(self.name, self.length)


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomKeyValue:
    """Keys and values for every token, or for the last `window` of them."""

    num_kv_heads: Size
    key_dim: Size
    value_dim: Size
    window: Size | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomLatent:
    """One compressed row for every token."""

    rank: Size
    rope_dim: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomIndexer:
    """Keys of an indexer for every token, and int64 positions beside them."""

    key_dim: Size
    positions: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Custom(Block):
    """Parts, caches and numbers of weights, written out."""

    kind: ClassVar[str] = "custom"
    source: ClassVar[str] = "the description itself"

    windows: tuple[CustomWindow, ...] = ()
    matrices: tuple[CustomMatrix, ...] = ()
    vectors: tuple[CustomVector, ...] = ()
    contexts: tuple[CustomContext, ...] = ()
    caches: tuple[CustomKeyValue, ...] = ()
    latents: tuple[CustomLatent, ...] = ()
    indexers: tuple[CustomIndexer, ...] = ()
    parameters: Count = 0
    """Weights that spread evenly over ranks."""
    replicated_parameters: Count = 0
    """Weights that every rank holds, such as norms."""
    idle_parameters: Count = 0
    """Those of `parameters` that do not serve a given token, such as experts not chosen."""

    def state(self, hidden_size: int) -> tuple[Part, ...]:
        """Windows, matrices, vectors and contexts in this order, each as listed."""
        return (
            *(window.part() for window in self.windows),
            *(matrix.part() for matrix in self.matrices),
            *(vector.part() for vector in self.vectors),
            *(context.part() for context in self.contexts),
        )

    def cache(self, hidden_size: int) -> tuple[Cache, ...]:
        """Keys and values, latents and indexers in this order, each as listed."""
        return (
            *(KeyValue(c.num_kv_heads, c.key_dim, c.value_dim, c.window) for c in self.caches),
            *(Latent(c.rank, c.rope_dim) for c in self.latents),
            *(Indexer(c.key_dim, c.positions) for c in self.indexers),
        )

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """The numbers as given, without zeros."""
        active = Axis(self.parameters - self.idle_parameters, split=Split.COLUMNS)
        idle = Axis(self.idle_parameters, split=Split.COLUMNS)
        replicated = Axis(self.replicated_parameters, split=Split.REPLICATED)
        found = (
            Weight("parameters", 1, active),
            Weight("idle_parameters", 1, idle, active_copies=0),
            Weight("replicated_parameters", 1, replicated),
        )
        return tuple(weight for weight in found if weight.axis.units)

    def mixing_flops(self, hidden_size: int, context: int) -> int:
        """Six operations for an element of recurrent state, two for one of keys and values."""
        state = sum(m.num_heads * m.value_dim * m.key_dim for m in self.matrices)
        state += sum(v.units * v.width for v in self.vectors)
        read = 0
        for cache in self.cache(hidden_size):
            window = cache.window if isinstance(cache, KeyValue) else None
            read += cache.elements_per_token * min(context, window or context)
        return 6 * state + 2 * read

    def check(self, hidden_size: int) -> str | None:
        """Names are unique, and no more weights are idle than there are."""
        if self.idle_parameters > self.parameters:
            return f"idle_parameters {self.idle_parameters} exceed parameters {self.parameters}"
        names = [part.name for part in self.state(hidden_size)]
        twice = sorted({name for name in names if names.count(name) > 1})
        return f"two parts are called {', '.join(twice)}" if twice else None


BLOCK = Custom
