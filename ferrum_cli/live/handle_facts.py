"""What a handle said of itself at one moment, with every field of the contract.

It knows nothing about how states are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ferrum_cli.contract import RecurrentStateHandle


@dataclass(frozen=True, slots=True)
class HandleFacts:
    """A handle's answers, as they stand in a run report."""

    facts: Mapping[str, object]

    @classmethod
    def of(cls, handle: RecurrentStateHandle) -> HandleFacts:
        """Ask a handle everything."""
        return cls(
            {
                "request_id": handle.request_id().to_json(),
                "cache_id": handle.cache_id(),
                "device": handle.device().to_json(),
                "num_layers": handle.num_layers(),
                "state_bytes": handle.state_bytes(),
                "is_valid": handle.is_valid(),
                "stats": handle.stats().to_json(),
            }
        )
