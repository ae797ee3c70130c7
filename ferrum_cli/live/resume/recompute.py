"""RecomputeOnResume: nothing is kept of a state, and its tokens are run again from zero.

It knows nothing about what the tokens compute, which is the recurrence's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ferrum_cli.contract import RecurrentStateResumePolicy, RequestId
from ferrum_cli.live.device import DeviceMemory, Stream
from ferrum_cli.live.layout import Storage
from ferrum_cli.live.recurrences import Recurrence
from ferrum_cli.live.resume._policy import Resident, ResumePolicy, Saved

History = Callable[[RequestId], Sequence[int]]
"""The tokens of a request so far."""
RecurrenceOf = Callable[[Storage], Recurrence]
"""The recurrence of the states in a storage."""


class Recipe(Saved):
    """The request's name: its tokens are asked for when they are needed."""

    kind = RecurrentStateResumePolicy.RecomputeOnResume

    def __init__(self, policy: RecomputeOnResume, request_id: RequestId) -> None:
        self._policy = policy
        self._request_id = request_id
        self._failure: Exception | None = None

    def restore(self, storage: Storage, slots: Sequence[int]) -> None:
        """Queue the zeroing of the slots, and the run of all tokens over them."""
        device = self._policy.device
        recurrence = self._policy.recurrence_of(storage)
        tokens = tuple(self._policy.history(self._request_id))
        regions = [piece.region for slot in slots for piece in storage.pieces(slot)]
        self._failure = None

        def run() -> None:
            # Kept here: a stream's own failure would be found by whoever waits for it first.
            try:
                recurrence.advance(storage, slots, tokens, 0)
            except Exception as error:  # noqa: BLE001 - `check` raises it
                self._failure = error

        device.follow(Stream.COPIES, device.record(Stream.COMPUTE))
        for region in regions:
            device.fill(region, 0, Stream.COPIES)
        device.run(run, regions, Stream.COPIES)

    def check(self) -> None:
        """Raise what the run has raised."""
        if self._failure is not None:
            raise self._failure

    def drop(self) -> None:
        """Nothing is held."""


class RecomputeOnResume(ResumePolicy):
    """Recomputation with the recurrences of `recurrence_of`, from the tokens of `history`."""

    instant = True

    def __init__(self, device: DeviceMemory, recurrence_of: RecurrenceOf, history: History) -> None:
        self.device = device
        self.recurrence_of = recurrence_of
        self.history = history

    def can_save(self, states: Sequence[Resident]) -> bool:
        """Always: nothing is kept."""
        del states
        return True

    def save(self, state: Resident) -> Recipe:
        """Note whose state it was."""
        return Recipe(self, state.spec.request_id)

    def close(self) -> None:
        """Nothing is held."""
