"""PLaMo-2's Mamba has the recurrence of Mamba-2."""

from __future__ import annotations

from ferrum_cli.live.recurrences import mamba2, plamo_mamba


def test_the_recurrence_is_the_same() -> None:
    assert (plamo_mamba.step, plamo_mamba.chunk) == (mamba2.step, mamba2.chunk)
