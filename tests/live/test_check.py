"""Checks say what was expected, what was measured, and whether that is right."""

from __future__ import annotations

import pytest

from ferrum_cli.live.check import Check, Verdict, equal, near, said, shown

CASES = [
    (equal("x", 5, 5), Verdict.HOLDS, 0),
    (equal("x", 5, 6), Verdict.FAILS, 1),
    (near("x", 100, 103, 3), Verdict.HOLDS, 3),
    (near("x", 100, 96, 3), Verdict.FAILS, -4),
    (shown("x", 5, 500), Verdict.REPORTED, 495),
    (said("x", "refused", "refused"), Verdict.HOLDS, None),
    (said("x", "refused", "fits"), Verdict.FAILS, None),
]


@pytest.mark.parametrize(("check", "verdict", "difference"), CASES)
def test_a_check_has_its_verdict_and_its_difference(
    check: Check, verdict: Verdict, difference: int | None
) -> None:
    assert check.verdict is verdict
    assert check.to_json()["difference"] == difference
    assert check.to_json()["verdict"] == verdict.value
