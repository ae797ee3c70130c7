"""Weights as they lie in a checkpoint's files, where a description was read together with them.

They count instead of parameters × dtype, because files are often quantized. It knows nothing about
formats of files, nor about devices.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWeights:
    """Bytes by where they belong; `known` is false for a file that does not hold its weights."""

    source: str
    known: bool = True
    embedding_bytes: int = 0
    layer_bytes: tuple[int, ...] = ()
    """One entry for each stored layer, drafts apart."""
    expert_bytes: tuple[int, ...] = ()
    """Routed experts, which are a part of their layer's bytes."""
    head_bytes: int = 0
    """The output projection, if it is not the embedding's, and everything after the layers."""
    draft_bytes: int = 0
    """Layers that propose tokens, which count only with speculation."""

    @property
    def total_bytes(self) -> int:
        """All but the draft."""
        return self.embedding_bytes + sum(self.layer_bytes) + self.head_bytes
