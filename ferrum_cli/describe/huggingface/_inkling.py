"""What Inkling and Inkling 2 share: two attentions by two sets of names, and what stands beside.

Names are those of transformers 5.24.0, models/inkling/configuration_inkling.py. It knows nothing
about engines.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.describe.huggingface._fields import Fields

KINDS = {"hybrid": "attention", "hybrid_sliding": "sliding"}


class Attends(NamedTuple):
    """A prefix of field names, and the class defaults of the fields."""

    prefix: str
    heads: int
    kv_heads: int
    head_dim: int


def attends(config: Fields, kind: Attends, **options: Any) -> Attention:
    """An attention by the fields of its kind."""
    return Attention(
        num_heads=config.size(f"{kind.prefix}num_attention_heads", kind.heads),
        num_kv_heads=config.size(f"{kind.prefix}num_key_value_heads", kind.kv_heads),
        head_dim=config.size(f"{kind.prefix}head_dim", kind.head_dim),
        **options,
    )


def beside(mixer: str) -> tuple[str, ...]:
    """An attention with the convolutions of its layer and its bias by position."""
    return (mixer, f"{mixer}_streams", f"{mixer}_bias")


def indices(config: Fields, name: str, length: int) -> set[int] | None:
    """A list of layers counted from zero, or None where there is none."""
    numbers = config.counts(name, None)
    if numbers is None:
        return None
    for position, number in enumerate(numbers):
        if not 0 <= number < length:
            config.fail(f"{name}[{position}]", f"layer {number} of {length}")
    return set(numbers)
