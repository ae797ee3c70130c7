"""A budget that does not hold says by how much, and what would make it hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines import engine
from ferrum_cli.expand import Parallel
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.result import Budget
from ferrum_cli.quantity import MAX_USIZE, parse_tokens
from tests.models import described, qwen3_next

GIB = 2**30
WEIGHTS, REQUEST = 159_348_782_592, 77_266_944 + 24_576 * 131_072


def weigh(limit: int, requests: int = 4, context: int = 131_072, tp: int = 1) -> Budget:
    wanted = Wanted(
        budget_bytes=limit, requests=requests, context=context, parallel=Parallel(tp=tp)
    )
    budget = plan(qwen3_next(), engine("native"), wanted).budget
    assert budget is not None
    return budget


def test_weights_state_and_kv_of_all_requests_are_needed() -> None:
    assert weigh(200 * GIB).needed_bytes == WEIGHTS + 4 * REQUEST


def test_the_limit_itself_still_holds_and_one_byte_less_does_not() -> None:
    assert weigh(WEIGHTS + 4 * REQUEST).holds
    assert not weigh(WEIGHTS + 4 * REQUEST - 1).holds


def test_fewer_requests_or_less_context_or_more_ranks_are_offered() -> None:
    remedies = weigh(WEIGHTS + 2 * REQUEST).remedies
    assert remedies[0] == "--requests 2"
    assert remedies[1].startswith("--context ")
    assert remedies[2] == "--tp 2"


def test_a_budget_below_the_weights_only_ranks_can_mend() -> None:
    assert weigh(100 * GIB).remedies == ("--tp 2",)


def test_a_budget_that_nothing_mends_offers_nothing() -> None:
    assert weigh(1000).remedies == ()


@given(st.integers(WEIGHTS, WEIGHTS + 20 * REQUEST), st.integers(1, 12))
def test_every_remedy_holds_and_is_the_largest(limit: int, requests: int) -> None:
    budget = weigh(limit, requests)
    offered = dict(remedy.split(" ") for remedy in budget.remedies)
    if "--requests" in offered:
        count = int(offered["--requests"])
        assert weigh(limit, count).holds
        assert not weigh(limit, count + 1).holds
    if "--context" in offered:
        context = parse_tokens(offered["--context"])
        assert weigh(limit, requests, context).holds
        assert not weigh(limit, requests, context + 1).holds
    if "--tp" in offered:
        assert weigh(limit, requests, tp=int(offered["--tp"])).holds


def test_an_overflowing_need_fits_no_budget() -> None:
    wanted = Wanted(budget_bytes=MAX_USIZE, requests=2**31, context=2**40)
    huge = described(hidden_size=2**20, vocab_size=2**31)
    budget = plan(huge, engine("native"), wanted).budget
    assert budget is not None
    assert not budget.holds or budget.needed_bytes < MAX_USIZE
