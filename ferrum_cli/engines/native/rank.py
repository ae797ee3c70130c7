"""What one pipeline rank holds: weights, state of a slot, KV of a request.

It knows nothing about how much memory there is.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._engine import KeyValueBytes, Question, StateTensor
from ferrum_cli.engines.native.layout import cache_bytes, state_tensors
from ferrum_cli.expand import stage_of_layers
from ferrum_cli.quantity import saturating_add


@dataclass(frozen=True, slots=True)
class Rank:
    """One pipeline rank, of the first tensor-parallel rank."""

    weights_bytes: int
    tensors: tuple[StateTensor, ...]
    kv: KeyValueBytes

    @property
    def state_bytes(self) -> int:
        """State of one slot."""
        total = 0
        for tensor in self.tensors:
            total = saturating_add(total, tensor.size_bytes)
        return total

    @property
    def request_bytes(self) -> int:
        """State and KV of one request at the context asked for."""
        return saturating_add(self.state_bytes, self.kv.bytes_at_context)


def ranks_of(question: Question) -> list[Rank]:
    """Every pipeline rank. Raises ShardingError for a split that does not work."""
    model, parallel = question.model, question.parallel
    dtype = model.description.dtype
    ranks = []
    for stage, indices in enumerate(stage_of_layers(len(model.layers), parallel.pp)):
        layers = model.layers[indices.start : indices.stop]
        tensors = state_tensors(layers, parallel.tp, dtype)
        kv = cache_bytes(layers, parallel.tp, dtype, question.context)
        ranks.append(Rank(question.weights.bytes_per_rank[stage], tensors, kv))
    return ranks
