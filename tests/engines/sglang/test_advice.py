"""The sizing reaches what was asked for, and every change is one that SGLang takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrum_cli.engines import Answer
from ferrum_cli.expand import Parallel
from tests.engines.sglang.asking import FALCON_MAMBA, LFM2, LLAMA, QWEN3_NEXT, answered


def ask(requests: int, context: int, **options: Any) -> Answer:
    return answered(QWEN3_NEXT, requests=requests, context=context, **options)


@pytest.mark.parametrize(("requests", "context"), [(80, 8192), (100, 4096), (40, 32_768)])
def test_the_sizing_reaches_what_was_asked_for(requests: int, context: int) -> None:
    before = ask(requests, context)
    assert (before.capacity.max_requests or 0) < requests
    assert before.sizing == {
        "max_mamba_cache_size": 5 * requests,
        "max_running_requests": requests,
    }
    assert ask(requests, context, **before.sizing).capacity.max_requests == requests


def test_what_runs_already_needs_no_sizing() -> None:
    assert ask(4, 8192).sizing == {}
    assert answered(LLAMA, requests=4, context=4096).sizing == {}


def test_what_cannot_be_had_is_sized_for_as_many_as_run() -> None:
    sized = ask(64, 131_072).sizing
    reached = sized["max_running_requests"]
    assert 0 < reached < 64
    assert ask(64, 131_072, **sized).capacity.max_requests == reached
    # One more does not fit, whatever the split.
    more = {"max_mamba_cache_size": (reached + 1) * 5, "max_running_requests": reached + 1}
    assert (ask(64, 131_072, **more).capacity.max_requests or 0) <= reached


@settings(max_examples=25)
@given(
    requests=st.integers(1, 400),
    context=st.integers(64, 262_144),
    free=st.floats(12, 75),
    tp=st.sampled_from([1, 2, 4, 8]),
    dp=st.booleans(),
)
def test_no_sizing_makes_it_worse_on_any_machine(
    requests: int, context: int, free: float, tp: int, dp: bool
) -> None:
    options: dict[str, Any] = {"available_gpu_memory_gib": free, "parallel": Parallel(tp=tp)}
    if dp:
        options |= {"parallel": Parallel(tp=tp, dp=tp), "enable_dp_attention": True}
    before = ask(requests, context, **options)
    if not before.sizing:
        return
    after = ask(requests, context, **options, **before.sizing)
    assert after.refusal is None
    assert (after.capacity.max_requests or 0) >= (before.capacity.max_requests or 0)


def test_flags_that_stand_in_the_way_are_replaced() -> None:
    found = ask(32, 4096, max_mamba_cache_size=5, max_running_requests=1)
    assert found.sizing["max_running_requests"] == 32


def test_without_a_prefix_cache_slots_are_the_requests() -> None:
    assert ask(60, 16_384, disable_radix_cache=True, max_running_requests=2).sizing == {
        "max_running_requests": 60
    }


def test_nothing_is_sized_unasked() -> None:
    assert answered(LFM2).sizing == {}


@pytest.mark.parametrize("model", [QWEN3_NEXT, LFM2, FALCON_MAMBA, LLAMA])
def test_every_change_is_one_that_starts(model: dict[str, Any]) -> None:
    before = answered(model, requests=10_000, context=2048)
    assert before.changes
    for change in before.changes:
        for step in change.steps:
            assert answered(model, requests=10_000, context=2048, **step).refusal is None


def test_a_share_below_what_sglang_takes_by_itself_is_raised_to_it_for_nothing() -> None:
    changes = answered(QWEN3_NEXT, mem_fraction_static=0.7).changes
    assert changes[0].price == "nothing: the share SGLang takes by itself"
    assert changes[0].steps[0]["mem_fraction_static"] > 0.7


def test_without_drafts_is_a_change_only_where_there_are_some() -> None:
    assert not any("drafts" in change.price for change in ask(1, 64).changes)
    speculating = ask(1, 64, speculative_algorithm="NEXTN")
    (without,) = (c for c in speculating.changes if "drafts" in c.price)
    assert without.steps[0]["speculative_algorithm"] is None


def test_a_model_that_sglang_does_not_start_has_no_changes() -> None:
    refused = answered(QWEN3_NEXT, requests=4, context=300_000)
    assert refused.refusal is not None
    assert refused.changes == ()
