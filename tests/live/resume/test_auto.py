"""The cheaper way back, and the reason for it."""

from __future__ import annotations

import pytest

from ferrum_cli.contract import RecurrentStateResumePolicy
from ferrum_cli.live.layout import SlotLayout
from ferrum_cli.live.resume.auto import CheaperOnResume
from ferrum_cli.live.resume.recompute import RecomputeOnResume
from ferrum_cli.live.resume.snapshot import SnapshotOnPreempt
from tests.live.specs import CONV_AND_DELTA
from tests.live.stations import run, station

RECOMPUTE = RecurrentStateResumePolicy.RecomputeOnResume
SNAPSHOT = RecurrentStateResumePolicy.SnapshotOnPreempt

# tokens, snapshots that fit, how it is saved, and why
CHOICES = [
    (9, 1, RECOMPUTE, "9 tokens are fewer than the break-even of 10"),
    (10, 1, SNAPSHOT, "10 tokens reach the break-even of 10"),
    (10, 0, RECOMPUTE, "no host memory is left for a snapshot"),
]


@pytest.mark.parametrize(("tokens", "room", "kind", "reason"), CHOICES)
def test_the_cheaper_way_is_chosen_and_the_state_comes_back(
    tokens: int, room: int, kind: RecurrentStateResumePolicy, reason: str
) -> None:
    async def scenario() -> None:
        with station(1, eviction="lru", resume="recompute") as s:
            stride = SlotLayout.of(CONV_AND_DELTA).stride_bytes
            recompute = s.resume
            assert isinstance(recompute, RecomputeOnResume)
            auto = CheaperOnResume(SnapshotOnPreempt(s.device, room * stride), recompute, 10)
            s.use(auto)
            s.feed(await s.manager.allocate(s.spec(0)), tokens)
            await s.manager.allocate(s.spec(1))
            swapped = s.manager.books.swapped(s.request(0).uuid)
            assert swapped is not None
            assert (swapped.saved.kind, swapped.saved.reason) == (kind, reason)
            await s.manager.deallocate(s.request(1))
            assert s.mismatch(await s.manager.resume(s.request(0))) is None
            assert s.auditor.check() == []

    run(scenario())
