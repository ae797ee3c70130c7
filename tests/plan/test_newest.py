"""A newer version that would answer differently is pointed out."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

from ferrum_cli.engines import Answer, Question, engine
from ferrum_cli.errors import ShardingError
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.newest import newer_version
from tests.models import described

PLAN = plan(described(), engine("native"), Wanted())
OLD = dataclasses.replace(PLAN.question, version="0.9.1")


def engine_that(change: Any, version: str = "0.10.0") -> Any:
    def answer(question: Question) -> Answer:
        assert question.version == version
        changed: Answer = change(PLAN.answer)
        return changed

    return SimpleNamespace(NAME="native", VERSION=version, answer=answer)


def with_layout(**layout: Any) -> Any:
    return lambda answer: dataclasses.replace(answer, layout=layout)


def test_figures_that_change_are_named_with_both_values() -> None:
    before = dataclasses.replace(PLAN.answer, layout={"block_size": 544, "mode": "align"})
    newer = engine_that(with_layout(block_size=576, mode="align"))
    (finding,) = newer_version(OLD, newer, before)
    assert finding.code == "newer-version-differs"
    assert finding.message == "with native 0.10.0 block_size 544 becomes 576"
    assert finding.hint == "compare with --engine-version 0.9.1,0.10.0 --diff"


def test_a_newer_version_that_refuses_is_said() -> None:
    newer = engine_that(lambda answer: dataclasses.replace(answer, refusal="no longer supported"))
    (finding,) = newer_version(OLD, newer, PLAN.answer)
    assert "refuses to start (no longer supported)" in finding.message


def test_nothing_is_said_where_nothing_changes_or_the_version_is_the_newest() -> None:
    assert newer_version(OLD, engine_that(lambda answer: answer), PLAN.answer) == ()
    assert newer_version(OLD, engine_that(with_layout(x=1), "0.9.1"), PLAN.answer) == ()
    assert newer_version(OLD, engine_that(with_layout(x=1), "0.9.0"), PLAN.answer) == ()


def test_a_split_that_the_newer_version_does_not_define_is_no_finding() -> None:
    def fail(_answer: Answer) -> Answer:
        raise ShardingError("no")

    assert newer_version(OLD, engine_that(fail), PLAN.answer) == ()
