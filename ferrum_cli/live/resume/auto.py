"""The cheaper of the two: recompute what is short, copy what is long, as measured.

A snapshot costs the same for any number of tokens, and recomputing costs as much for each; below
the break-even it is cheaper to recompute. It knows nothing about how either is done.
"""

from __future__ import annotations

from collections.abc import Sequence

from ferrum_cli.live.resume._policy import Resident, ResumePolicy, Saved
from ferrum_cli.live.resume.recompute import RecomputeOnResume
from ferrum_cli.live.resume.snapshot import SnapshotOnPreempt


class CheaperOnResume(ResumePolicy):
    """Snapshots from `break_even_tokens` on while there is room for them, else recomputation."""

    def __init__(
        self, snapshot: SnapshotOnPreempt, recompute: RecomputeOnResume, break_even_tokens: int
    ) -> None:
        self._snapshot = snapshot
        self._recompute = recompute
        self.break_even_tokens = break_even_tokens

    def can_save(self, states: Sequence[Resident]) -> bool:
        """Always: what finds no room is recomputed."""
        del states
        return True

    def save(self, state: Resident) -> Saved:
        """Choose, and say why."""
        tokens = len(self._recompute.history(state.spec.request_id))
        if tokens < self.break_even_tokens:
            reason = f"{tokens} tokens are fewer than the break-even of {self.break_even_tokens}"
            saved: Saved = self._recompute.save(state)
        elif not self._snapshot.can_save([state]):
            reason = "no host memory is left for a snapshot"
            saved = self._recompute.save(state)
        else:
            reason = f"{tokens} tokens reach the break-even of {self.break_even_tokens}"
            saved = self._snapshot.save(state)
        saved.reason = reason
        return saved

    def close(self) -> None:
        """Give the snapshots' memory back."""
        self._snapshot.close()
