"""How state comes back after preemption or eviction: the Rust `RecurrentStateResumePolicy`.

It knows nothing about how a policy is carried out.
"""

from __future__ import annotations

from enum import Enum

from ferrum_cli.contract.strict import variant


class RecurrentStateResumePolicy(Enum):
    """Resume policy for state that has been preempted or evicted; the value is its JSON."""

    RecomputeOnResume = "RecomputeOnResume"
    """Rebuild the state from the request's tokens before the next decode."""
    SnapshotOnPreempt = "SnapshotOnPreempt"
    """Save the state's bytes at preemption and restore them."""

    def to_json(self) -> str:
        """The variant's name."""
        return self.value

    @classmethod
    def from_json(cls, obj: object, path: str = "") -> RecurrentStateResumePolicy:
        """Read a variant's name."""
        return variant(obj, cls, path)
