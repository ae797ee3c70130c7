"""A plan is what the engine answered, judged against what was wanted."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Machine, engine
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand import Parallel
from ferrum_cli.plan import Verdict, Wanted, plan
from tests.models import described, qwen3_next

GIB = 2**30
NATIVE = engine("native")


@pytest.mark.parametrize(
    ("wanted", "verdict"),
    [
        (Wanted(), Verdict.UNKNOWN),
        (Wanted(machine=Machine(memory_bytes=200 * GIB)), Verdict.FITS),
        (Wanted(machine=Machine(memory_bytes=200 * GIB), requests=500), Verdict.DOES_NOT_FIT),
        (Wanted(machine=Machine(memory_bytes=GIB)), Verdict.DOES_NOT_FIT),
        (Wanted(budget_bytes=200 * GIB), Verdict.FITS),
        (Wanted(budget_bytes=GIB), Verdict.DOES_NOT_FIT),
        (
            Wanted(machine=Machine(memory_bytes=200 * GIB), budget_bytes=GIB),
            Verdict.DOES_NOT_FIT,
        ),
        (
            Wanted(machine=Machine(memory_bytes=GIB), budget_bytes=200 * GIB),
            Verdict.DOES_NOT_FIT,
        ),
    ],
)
def test_the_verdict_follows_memory_and_budget(wanted: Wanted, verdict: Verdict) -> None:
    assert plan(qwen3_next(), NATIVE, wanted).verdict is verdict


def test_defaults_are_one_request_at_the_models_own_limit() -> None:
    question = plan(qwen3_next(), NATIVE, Wanted()).question
    assert (question.requests, question.context) == (1, 262_144)
    assert not question.context_given
    assert not question.requests_given


def test_a_context_beyond_the_model_is_warned_about() -> None:
    findings = plan(described(), NATIVE, Wanted(context=4097)).findings
    assert [finding.code for finding in findings] == ["context-beyond-model"]
    assert plan(described(), NATIVE, Wanted(context=4096)).findings == ()


def test_what_a_reader_assumed_is_a_finding() -> None:
    findings = plan(described(notes=("bfloat16 is assumed",)), NATIVE, Wanted()).findings
    assert [(f.code, f.message) for f in findings] == [("assumed", "bfloat16 is assumed")]


@pytest.mark.parametrize("tp", [3, 64, 1_000_000])
def test_a_split_that_no_engine_defines_is_refused(tp: int) -> None:
    with pytest.raises(ShardingError, match="--tp"):
        plan(qwen3_next(), NATIVE, Wanted(parallel=Parallel(tp=tp)))
