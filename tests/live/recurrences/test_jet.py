"""Jet has the recurrence of Gated DeltaNet."""

from __future__ import annotations

from ferrum_cli.live.recurrences import gated_delta_net, jet


def test_the_delta_rule_is_the_same() -> None:
    assert (jet.step, jet.chunk) == (gated_delta_net.step, gated_delta_net.chunk)
