"""Two plans held against each other: only what differs, and why."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Machine, engine
from ferrum_cli.errors import UsageError
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.difference import differ, two
from tests.models import qwen3_next

NATIVE = engine("native")
MEMORY = Machine(memory_bytes=200 * 2**30)
SHORT, LONG = (
    plan(qwen3_next(), NATIVE, Wanted(machine=MEMORY, context=n)) for n in (32_768, 65_536)
)


def test_equal_plans_differ_in_nothing() -> None:
    report = differ(SHORT, SHORT)
    assert report.answer == "The two plans give the same figures."
    assert report.tables == ()


def test_what_was_asked_and_what_came_out_are_told_apart() -> None:
    report = differ(SHORT, LONG)
    asked, found = report.tables[0], report.tables[1]
    assert [row[0].value for row in asked.rows] == ["context"]
    assert "kv.bytes_at_context" in [row[0].value for row in found.rows]
    assert "state.bytes_per_slot" not in [row[0].value for row in found.rows]


def test_the_answer_is_the_change_in_requests() -> None:
    before, after = (p.answer.capacity.max_requests for p in (SHORT, LONG))
    expected = f"{before} requests become {after}; what was asked differently: context."
    assert differ(SHORT, LONG).answer == expected


def test_formulas_of_the_figures_that_changed_stand_side_by_side() -> None:
    causes = differ(SHORT, LONG).tables[-1]
    assert causes.title == "How the figures come about"
    formulas = {row[0].value: (row[1].value, row[2].value) for row in causes.rows}
    assert "32768 tokens" in str(formulas["kv_bytes_at_context"][0])
    assert "65536 tokens" in str(formulas["kv_bytes_at_context"][1])


def test_the_machine_readable_form_has_both_plans() -> None:
    data = differ(SHORT, LONG).data
    assert data["schema"] == "ferrum.diff/1"  # type: ignore[call-overload]
    assert data["asked"] == {"context": [32_768, 65_536]}  # type: ignore[call-overload]
    assert len(data["plans"]) == 2  # type: ignore[call-overload]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_difference_has_two_sides(count: int) -> None:
    with pytest.raises(UsageError, match=f"--diff: {count} plans"):
        two([SHORT] * count)
