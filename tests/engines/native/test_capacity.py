"""Requests that fit: memory − weights − overhead over state and KV of one request."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Layer, Span
from ferrum_cli.engines import Answer, Machine, Question, Settings, Weights, engine
from ferrum_cli.expand import Parallel, expand, weight_bytes_per_rank
from tests.models import described, qwen3_next, with_mamba2

GIB = 2**30
MODEL = qwen3_next()
STATE, KV_TOKEN, WEIGHTS = 77_266_944, 24_576, 159_348_782_592


def ask(model: Any = MODEL, **changes: Any) -> Answer:
    parallel = changes.pop("parallel", Parallel())
    fields: dict[str, Any] = {
        "model": expand(model),
        "parallel": parallel,
        "settings": Settings((), {}),
        "version": "1",
        "requests": 1,
        "context": 131_072,
        "context_given": True,
        "requests_given": False,
        "machine": Machine(),
        "weights": Weights(weight_bytes_per_rank(model, parallel), "parameters × BF16"),
    }
    return engine("native").answer(Question(**(fields | changes)))


def test_without_memory_nothing_is_said_about_requests() -> None:
    capacity = ask().capacity
    assert (capacity.max_requests, capacity.available_bytes, capacity.limited_by) == (None,) * 3


def test_what_is_left_after_weights_and_overhead_is_divided_by_one_request() -> None:
    machine = Machine(memory_bytes=200 * GIB, overhead_bytes=3 * GIB)
    capacity = ask(machine=machine).capacity
    left = 197 * GIB - WEIGHTS
    assert capacity.available_bytes == left
    assert capacity.max_requests == left // (STATE + KV_TOKEN * 131_072)


def test_replicas_multiply_the_requests() -> None:
    machine = Machine(memory_bytes=200 * GIB)
    one, four = (ask(machine=machine, parallel=Parallel(dp=n)).capacity for n in (1, 4))
    assert four.max_requests == 4 * (one.max_requests or 0)


def test_weights_that_do_not_fit_leave_no_request() -> None:
    capacity = ask(machine=Machine(memory_bytes=80 * GIB)).capacity
    assert (capacity.max_requests, capacity.limited_by) == (0, "memory")


@pytest.mark.parametrize(("context", "limit"), [(1024, "state"), (131_072, "kv")])
def test_the_larger_part_of_a_request_is_named_as_the_limit(context: int, limit: str) -> None:
    answer = ask(machine=Machine(memory_bytes=200 * GIB), context=context)
    assert answer.capacity.limited_by == limit


def test_the_fullest_pipeline_stage_decides() -> None:
    answer = ask(machine=Machine(memory_bytes=100 * GIB), parallel=Parallel(pp=2))
    weights = answer.layout["weights_bytes_per_rank"]
    request = answer.bytes_per_slot + answer.kv.bytes_at_context
    rooms = [100 * GIB - w for w in weights]
    assert answer.capacity.max_requests == min(room // request for room in rooms)
    assert answer.layout["state_bytes_per_slot_per_rank"] == [STATE // 2] * 2


def test_memory_lines_add_up_to_what_the_requests_need() -> None:
    answer = ask(requests=7, machine=Machine(overhead_bytes=5))
    assert sum(line.size_bytes for line in answer.memory) == (
        WEIGHTS + 7 * (STATE + KV_TOKEN * 131_072) + 5
    )
    assert [line.name for line in answer.memory if not line.budgeted] == ["overhead"]


def test_query_heads_that_do_not_divide_are_replicated_with_a_warning() -> None:
    (finding,) = ask(parallel=Parallel(tp=32)).findings
    assert finding.code == "query-heads-replicated"
    assert "16 attention heads do not divide by tp 32" in finding.message


def test_more_groups_than_ranks_that_do_not_divide_are_warned_about() -> None:
    (finding,) = ask(with_mamba2(6), parallel=Parallel(tp=4)).findings
    assert finding.code == "groups-do-not-divide"


def test_a_model_that_keeps_nothing_is_not_limited() -> None:
    blocks = {"mlp": FeedForward(intermediate_size=128)}
    no_cache = described(blocks=blocks, spans=(Span((Layer((("mlp",),)),)),))
    capacity = ask(no_cache, machine=Machine(memory_bytes=GIB)).capacity
    assert capacity.max_requests is None


@given(st.integers(150, 400), st.integers(1, 50), st.integers(1, 262_144))
def test_more_memory_never_fits_fewer_requests(gib: int, more: int, context: int) -> None:
    small, large = (
        ask(machine=Machine(memory_bytes=n * GIB), context=context).capacity.max_requests or 0
        for n in (gib, gib + more)
    )
    assert small <= large


@given(st.integers(150, 400), st.integers(1, 262_144))
def test_the_requests_that_fit_do_fit_and_one_more_does_not(gib: int, context: int) -> None:
    most = ask(machine=Machine(memory_bytes=gib * GIB), context=context).capacity.max_requests or 0
    fitting, over = (
        sum(line.size_bytes for line in ask(requests=n, context=context).memory)
        for n in (max(1, most), most + 1)
    )
    assert most == 0 or fitting <= gib * GIB
    assert over > gib * GIB
