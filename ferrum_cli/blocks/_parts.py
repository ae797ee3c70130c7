"""What a layer keeps and weighs, before any engine decides on shapes: parts, caches and weights.

A part says how large a piece of recurrent state is and how it splits over tensor-parallel ranks. It
does not know in which order an engine stores the axes, how many rows of a convolution it keeps, or
in which dtype: those are an engine's layout rules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """What a part is for; engines choose dtype and layout by it."""

    CONV = "conv"
    RECURRENT = "recurrent"
    SHIFT = "shift"
    CONTEXT = "context"


class Split(Enum):
    """How the units of an axis spread over tensor-parallel ranks."""

    HEADS = "heads"
    """Units must divide by the number of ranks."""
    GROUPS = "groups"
    """Units that do not divide are raised to the number of ranks, one for each."""
    KV_HEADS = "kv_heads"
    """Each rank has units // ranks, but at least one: replicated beyond their number."""
    QUERY_HEADS = "query_heads"
    """Units that do not divide stand whole on every rank."""
    COLUMNS = "columns"
    """Cut anywhere; the last rank's share is padded up."""
    REPLICATED = "replicated"
    """Every rank holds all units."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension made of `units` (heads, groups, channels) of `width` elements each."""

    units: int
    width: int = 1
    split: Split = Split.HEADS

    @property
    def size(self) -> int:
        """Elements of the whole axis, over all ranks."""
        return self.units * self.width


@dataclass(frozen=True, slots=True)
class Window:
    """The past inputs of a causal convolution: `kernel - 1` of them for each channel.

    The channels are a row of axes (query, key, value) which most engines fuse into one tensor.
    """

    name: str
    channels: tuple[Axis, ...]
    kernel: int
    role: Role = Role.CONV

    @property
    def history(self) -> int:
        """Past inputs that the convolution needs: one less than its kernel."""
        return self.kernel - 1


@dataclass(frozen=True, slots=True)
class Matrix:
    """A recurrent matrix for each head: `heads × value_dim × key_dim` elements."""

    name: str
    heads: Axis
    value_dim: int
    key_dim: int
    role: Role = Role.RECURRENT


@dataclass(frozen=True, slots=True)
class Vector:
    """A recurrent vector: `units` of `width`, kept flat or with one row for each unit."""

    name: str
    axis: Axis
    flat: bool = True
    role: Role = Role.RECURRENT


@dataclass(frozen=True, slots=True)
class Context:
    """The last `length` token ids, as int64."""

    name: str
    length: int
    role: Role = Role.CONTEXT


Part = Window | Matrix | Vector | Context


@dataclass(frozen=True, slots=True)
class KeyValue:
    """Keys and values of one attention for every token, or for the last `window` tokens."""

    heads: int
    key_dim: int
    value_dim: int
    window: int | None = None

    @property
    def elements_per_token(self) -> int:
        """Elements that one token adds, over all heads."""
        return self.heads * (self.key_dim + self.value_dim)


@dataclass(frozen=True, slots=True)
class Latent:
    """The compressed keys and values of latent attention (MLA): one row a token, never split."""

    rank: int
    rope_dim: int

    @property
    def elements_per_token(self) -> int:
        """Elements that one token adds on every rank."""
        return self.rank + self.rope_dim


@dataclass(frozen=True, slots=True)
class Indexer:
    """The keys by which a sparse attention chooses tokens; replicated on every rank.

    `key_dim` counts the elements of the indexer's keys for one token, `positions` the int64 numbers
    that some implementations keep beside them.
    """

    key_dim: int
    positions: int = 0

    @property
    def elements_per_token(self) -> int:
        """Elements in the cache's dtype that one token adds; positions are apart."""
        return self.key_dim


Cache = KeyValue | Latent | Indexer


@dataclass(frozen=True, slots=True)
class Weight:
    """A weight: `copies × rows × axis` elements, of which `active_copies` serve one token."""

    name: str
    rows: int
    axis: Axis
    copies: int = 1
    active_copies: int | None = None

    @property
    def elements(self) -> int:
        """Elements over all ranks."""
        return self.copies * self.rows * self.axis.size

    @property
    def active_elements(self) -> int:
        """Elements that take part in one token."""
        active = self.copies if self.active_copies is None else self.active_copies
        return active * self.rows * self.axis.size


def whole(name: str, *shape: int) -> Weight:
    """A weight that every rank holds in full, such as a norm."""
    return Weight(name, 1, Axis(math.prod(shape), split=Split.REPLICATED))
