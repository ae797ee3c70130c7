"""What stands on the device: weights once, state and KV for each sequence.

It knows nothing about how much memory there is.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._engine import KeyValueBytes, StateTensor


@dataclass(frozen=True, slots=True)
class Costs:
    """Bytes of one replica and of one sequence in it."""

    weights: int
    weights_source: str
    decay_tables: int
    tensors: tuple[StateTensor, ...]
    kv: KeyValueBytes

    @property
    def state(self) -> int:
        """State of one sequence."""
        return sum(tensor.size_bytes for tensor in self.tensors)

    @property
    def sequence(self) -> int:
        """State and KV of one sequence."""
        return self.state + self.kv.bytes_at_context
