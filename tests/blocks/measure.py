"""What the tables of this folder compare: elements of weights, state and caches."""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks import Block, block_class

Sizes = dict[str, Any]
"""Fields of a block by name."""


def build(kind: str, hidden_size: int, **sizes: Any) -> Block:
    """A block of `kind` whose sizes go together."""
    block = block_class(kind)(**sizes)
    assert block.check(hidden_size) is None
    return block


def parameters(kind: str, hidden_size: int, **sizes: Any) -> int:
    """Elements of all weights."""
    return sum(w.elements for w in build(kind, hidden_size, **sizes).weights(hidden_size))


def cached(kind: str, hidden_size: int, **sizes: Any) -> int:
    """Elements that one token adds to the caches."""
    return sum(c.elements_per_token for c in build(kind, hidden_size, **sizes).cache(hidden_size))
