"""Types of KV cache that llama.cpp offers, and the bytes of a row in each.

Blocks are those of ggml 0.25.3 (ggml-common.h); the list is common/arg.cpp's. It knows nothing
about models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CacheType:
    """A type: elements of one block and its bytes; quantized types have more than one element."""

    name: str
    block: int
    block_bytes: int

    @property
    def is_quantized(self) -> bool:
        """Whether elements share a scale."""
        return self.block > 1

    def row_bytes(self, elements: int) -> int:
        """Bytes of a row, which must be whole blocks where it is allocated."""
        return elements * self.block_bytes // self.block


TYPES: Mapping[str, CacheType] = {
    found.name: found
    for found in (
        CacheType("f32", 1, 4),
        CacheType("f16", 1, 2),
        CacheType("bf16", 1, 2),
        CacheType("q8_0", 32, 34),
        CacheType("q4_0", 32, 18),
        CacheType("q4_1", 32, 20),
        CacheType("iq4_nl", 32, 18),
        CacheType("q5_0", 32, 22),
        CacheType("q5_1", 32, 24),
    )
}
