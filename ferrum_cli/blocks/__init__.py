"""Kinds of block, one file each: the sizes of their state, cache and weights.

It knows nothing about engines, files or devices.
"""

from __future__ import annotations

from functools import cache

from ferrum_cli import discover
from ferrum_cli.blocks._block import LARGEST_SIZE, Block, Count, Size
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
    whole,
)
from ferrum_cli.errors import DescriptionError

__all__ = [
    "LARGEST_SIZE",
    "Axis",
    "Block",
    "Cache",
    "Context",
    "Count",
    "Indexer",
    "KeyValue",
    "Latent",
    "Matrix",
    "Part",
    "Role",
    "Size",
    "Split",
    "Vector",
    "Weight",
    "Window",
    "block_class",
    "kinds",
    "whole",
]


def kinds() -> tuple[str, ...]:
    """Every kind of block there is, without importing any."""
    return discover.names(__name__)


@cache
def block_class(kind: str) -> type[Block]:
    """The class of a kind. Raises DescriptionError for a kind that does not exist."""
    module = discover.load(__name__, kind)
    if module is None:
        raise DescriptionError(
            f"unknown kind of block {kind!r}", hint=discover.suggestion(kind, kinds())
        )
    found: type[Block] = module.BLOCK
    return found
