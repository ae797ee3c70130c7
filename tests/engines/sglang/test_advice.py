"""Advised flags reach what they promise: they are planned again to see it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrum_cli.engines import Answer
from ferrum_cli.expand import Parallel
from tests.engines.sglang.asking import LFM2, LLAMA, QWEN3_NEXT, answered


def parsed(flags: tuple[str, ...]) -> dict[str, float]:
    found = {}
    for flag in flags:
        name, value = flag.split(" ")
        number = float(value)
        found[name.removeprefix("--").replace("-", "_")] = (
            int(number) if name != "--mamba-full-memory-ratio" else number
        )
    return found


def ask(requests: int, context: int, **options: Any) -> Answer:
    return answered(QWEN3_NEXT, requests=requests, context=context, **options)


@pytest.mark.parametrize(("requests", "context"), [(64, 8192), (100, 4096), (8, 131072), (1, 1000)])
def test_the_flags_reach_what_was_asked_for(requests: int, context: int) -> None:
    flags = parsed(ask(requests, context).flags)
    assert set(flags) == {
        "mamba_full_memory_ratio",
        "max_mamba_cache_size",
        "max_running_requests",
    }
    together = ask(requests, context, **flags)
    assert (together.capacity.max_requests or 0) >= requests
    without_slots = {n: v for n, v in flags.items() if n != "max_mamba_cache_size"}
    assert (ask(requests, context, **without_slots).capacity.max_requests or 0) >= requests


def test_what_cannot_be_had_is_answered_with_the_nearest() -> None:
    found = ask(64, 131_072)
    finding = next(f for f in found.findings if f.code == "advice-nearest")
    flags = parsed(found.flags)
    reached = int(flags["max_running_requests"])
    assert 0 < reached < 64
    assert f"{reached} run with" in finding.message
    assert ask(64, 131_072, **flags).capacity.max_requests == reached
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
def test_no_promise_is_broken_on_any_machine(
    requests: int, context: int, free: float, tp: int, dp: bool
) -> None:
    options: dict[str, Any] = {"available_gpu_memory_gib": free, "parallel": Parallel(tp=tp)}
    if dp:
        options |= {"parallel": Parallel(tp=tp, dp=tp), "enable_dp_attention": True}
    found = ask(requests, context, **options)
    codes = {f.code for f in found.findings}
    if not found.flags:
        assert not codes & {"advice", "advice-nearest"}
        return
    again = ask(requests, context, **options, **parsed(found.flags))
    assert again.refusal is None
    if "advice" in codes:
        assert (again.capacity.max_requests or 0) >= requests
    else:
        assert "advice-nearest" in codes


def test_flags_that_stand_in_the_way_are_replaced() -> None:
    found = ask(32, 4096, max_mamba_cache_size=5, max_running_requests=1)
    assert parsed(found.flags)["max_running_requests"] == 32


@pytest.mark.parametrize("model", [LLAMA])
def test_a_model_without_state_needs_no_advice(model: dict[str, Any]) -> None:
    assert answered(model, requests=4, context=4096).flags == ()


def test_nothing_is_advised_unasked() -> None:
    assert answered(LFM2).flags == ()
