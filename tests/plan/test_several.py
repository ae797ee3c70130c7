"""Engines, versions and options together make the cases that are planned."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import engine_names
from ferrum_cli.errors import ShardingError, UsageError
from ferrum_cli.expand import Parallel
from ferrum_cli.plan import Wanted
from ferrum_cli.plan.several import cases, plan_cases
from tests.models import qwen3_next


def test_all_is_every_engine_that_there_is() -> None:
    assert [case.engine.NAME for case in cases("all", None, [])] == list(engine_names())


def test_an_option_goes_to_the_engines_that_know_it() -> None:
    made = {c.engine.NAME: c.settings for c in cases("all", None, ["seq_len=100"])}
    assert made["transformers"].value("seq_len") == 100
    assert "seq_len" not in made["native"]


def test_an_option_that_no_engine_knows_is_refused() -> None:
    with pytest.raises(UsageError, match="--set: unknown option 'seq_lenn'"):
        cases("all", None, ["seq_lenn=100"])


def test_versions_are_swept() -> None:
    assert [case.version for case in cases("native", "1,2", [])] == ["1", "2"]


@pytest.mark.parametrize("versions", ["", "1,,2", ","])
def test_an_empty_version_is_refused(versions: str) -> None:
    with pytest.raises(UsageError, match="--engine-version"):
        cases("native", versions, [])


def test_versions_belong_to_one_engine() -> None:
    with pytest.raises(UsageError, match="--engine-version: versions belong to one engine"):
        cases("all", "1", [])


def test_an_engine_that_cannot_split_a_model_is_left_out_of_several() -> None:
    wanted = Wanted(parallel=Parallel(tp=32))
    asked = cases("all", None, [])
    plans, left_out = plan_cases([qwen3_next()], asked, wanted)
    planned = {plan.answer.engine for plan in plans}
    assert "native" in planned
    assert len(plans) + len(left_out) == len(asked)


def test_a_split_that_no_case_defines_is_an_error() -> None:
    with pytest.raises(ShardingError):
        plan_cases([qwen3_next()], cases("native", None, []), Wanted(parallel=Parallel(tp=3)))
