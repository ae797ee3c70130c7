"""Several plans side by side, with the reasons where engines differ."""

from __future__ import annotations

from typing import get_args

import pytest

from ferrum_cli.describe.source import read_model
from ferrum_cli.engines import Machine, Reason, engine, engine_names
from ferrum_cli.expand import Parallel
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.comparison import compare
from tests.models import described, qwen3_next

NATIVE = engine("native")
LARGE = Wanted(machine=Machine(memory_bytes=300 * 2**30))
PLANS = [plan(described(), NATIVE, LARGE), plan(qwen3_next(), NATIVE, LARGE)]


def test_the_answer_names_the_plans_that_serve_most_and_least() -> None:
    most, least = (p.answer.capacity.max_requests for p in PLANS)
    answer = compare(PLANS).answer
    assert f"from {least} requests (qwen3-next-80b-a3b, native 1)" in answer
    assert f"to {most} (small, native 1)" in answer


def test_without_memory_there_is_no_winner() -> None:
    plans = [plan(described(), NATIVE, Wanted()), PLANS[1]]
    assert compare(plans).answer == "2 plans side by side."


def test_each_plan_is_one_row_and_one_object() -> None:
    report = compare(PLANS)
    assert [row[0].value for row in report.tables[0].rows] == ["small", "qwen3-next-80b-a3b"]
    assert len(report.data) == 2


def test_splits_are_told_apart() -> None:
    plans = [
        plan(described(), NATIVE, Wanted(parallel=Parallel(tp, pp, 3)))
        for tp, pp in ((1, 2), (2, 1))
    ]
    names = [row[0].value for row in compare(plans).tables[0].rows]
    assert names == ["small at pp 2 dp 3", "small at tp 2 dp 3"]


def test_one_engine_gives_no_reasons_and_two_do() -> None:
    assert len(compare(PLANS).tables) == 1
    both = [PLANS[1], plan(qwen3_next(), engine("transformers"), LARGE)]
    reasons = compare(both).tables[1]
    assert [row[0].value for row in reasons.rows] == ["dtype", "padding", "slots", "reserved"]


def test_a_finding_that_all_share_is_said_once() -> None:
    plans = [plan(described(), NATIVE, Wanted(context=10_000)) for _ in range(3)]
    assert len(compare(plans).findings) == 1


def test_what_only_informs_is_left_to_the_plan_alone() -> None:
    plans = [plan(described(notes=("assumed",)), NATIVE, Wanted()), PLANS[1]]
    assert compare(plans).findings == ()


def test_a_finding_of_one_plan_names_the_plan() -> None:
    plans = [plan(described(), NATIVE, Wanted(context=10_000)), PLANS[1]]
    (finding,) = compare(plans).findings
    assert finding.message.startswith("small, native 1: 10000 tokens")


@pytest.mark.parametrize("model", ["qwen3-next-80b-a3b", "qwen3-8b", "falcon-mamba-7b"])
@pytest.mark.parametrize("name", engine_names())
def test_every_engine_gives_every_reason_in_one_clause(name: str, model: str) -> None:
    answer = plan(read_model(model), engine(name), LARGE).answer
    if answer.refusal is not None:
        return
    assert set(answer.reasons) == set(get_args(Reason))
    for clause in answer.reasons.values():
        assert clause.strip()
        assert "\n" not in clause
        assert not clause.endswith(".")
        assert ". " not in clause
        assert len(clause) <= 120


def test_all_engines_side_by_side_say_why_they_differ() -> None:
    report = compare([plan(qwen3_next(), engine(name), LARGE) for name in engine_names()])
    (reasons,) = (t for t in report.tables if t.title == "Why they differ")
    assert [row[0].value for row in reasons.rows] == list(get_args(Reason))
    assert all(cell.value for row in reasons.rows for cell in row)
