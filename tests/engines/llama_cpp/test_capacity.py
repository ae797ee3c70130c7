"""How many slots fit and how long a context can be, held against the layout itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrum_cli.engines import Machine
from ferrum_cli.engines.llama_cpp.capacity import (
    capacity,
    largest_parallel,
    longest_ctx_size,
    room_of,
)
from ferrum_cli.engines.llama_cpp.requirement import Deployment
from ferrum_cli.expand import Parallel
from tests.engines.llama_cpp.asking import (
    GIB,
    LFM25,
    LLAMA,
    MAMBA,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    deployed,
    gguf,
    question,
)
from tests.gguf_files import MODELS

NAMES = st.sampled_from([QWEN35_27B, LFM25, MAMBA, LLAMA])
MEMORY = st.integers(1, 200).map(lambda gib: gib * GIB)


def fits(deployment: Deployment, slots: int, context: int, *, surely: bool) -> bool:
    """Whether a start of so many slots fits, added up here from its own layout."""
    sizes = deployment.launch.sizes(slots, context * slots)
    compute = deployment.compute(sizes)
    buffers = compute.high if surely else compute.low
    (share,) = (share for device, share in deployment.shares(sizes).items() if device == 0)
    machine = deployment.question.machine
    total = share.weights + share.state + share.kv + buffers + machine.overhead_bytes
    return total <= (machine.memory_bytes or 0)


def test_without_a_memory_nothing_is_said_about_requests() -> None:
    found = answered(QWEN35_27B).capacity
    assert (found.max_requests, found.low, found.high, found.available_bytes) == (None,) * 4


@given(NAMES, MEMORY, st.integers(256, 131_072), st.booleans())
@settings(max_examples=60)
def test_one_slot_more_would_not_fit(name: str, memory: int, context: int, surely: bool) -> None:
    deployment = deployed(name, memory=memory, context=context)
    slots = largest_parallel(deployment, context, surely=surely)
    assert slots == 0 or fits(deployment, slots, context, surely=surely)
    assert slots == 256 or not fits(deployment, slots + 1, context, surely=surely)


@given(NAMES, MEMORY, st.integers(1, 8), st.booleans())
@settings(max_examples=60)
def test_one_step_of_context_more_would_not_fit(
    name: str, memory: int, slots: int, unified: bool
) -> None:
    deployment = deployed(name, {"parallel": slots, "kv_unified": unified}, memory=memory)
    most = 2**20
    found = longest_ctx_size(deployment, slots, most, surely=True)
    room, launch = room_of(deployment), deployment.launch
    step = 256 * (1 if unified else slots)
    if found:
        assert launch.sizes(slots, found).n_ctx == found
        assert room.holds(deployment, launch.sizes(slots, found), surely=True)
    if found + step <= most:
        assert not room.holds(deployment, launch.sizes(slots, found + step), surely=True)


@given(NAMES, MEMORY, st.integers(256, 65_536))
@settings(max_examples=60)
def test_more_memory_never_holds_less_and_a_longer_context_never_more(
    name: str, memory: int, context: int
) -> None:
    def _slots(memory: int, context: int) -> int:
        return answered(name, memory=memory, context=context).capacity.max_requests or 0

    base = _slots(memory, context)
    assert _slots(memory + GIB, context) >= base
    assert _slots(memory, context + 256) <= base


@given(NAMES, MEMORY)
@settings(max_examples=40)
def test_what_is_promised_is_the_lower_end(name: str, memory: int) -> None:
    found = answered(name, memory=memory, context=4096).capacity
    assert found.max_requests == found.low
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.high


def test_slots_that_are_stated_are_the_most() -> None:
    found = answered(LFM25, {"parallel": 3}, memory=80 * GIB, context=4096).capacity
    assert (found.max_requests, found.high, found.limited_by) == (3, 3, "slots")


def test_a_stated_cache_that_all_share_holds_as_many_as_it_has_room_for() -> None:
    options = {"ctx_size": 16_384, "kv_unified": True, "parallel": 8}
    found = answered(LFM25, options, memory=80 * GIB, context=4096).capacity
    assert (found.max_requests, found.limited_by) == (4, "kv")


def test_slots_end_at_two_hundred_and_fifty_six() -> None:
    found = answered(LFM25, memory=800 * GIB, context=256).capacity
    assert (found.max_requests, found.limited_by) == (256, "slots")


@pytest.mark.parametrize(
    ("name", "memory", "context", "limit"),
    [
        (QWEN35_27B, 60 * GIB, 256, "state"),
        (QWEN35_27B, 80 * GIB, 131_072, "kv"),
        (QWEN35_27B, 16 * GIB, 4096, "memory"),
        (LLAMA, 40 * GIB, 8192, "kv"),
        (MAMBA, 12 * GIB, 8192, "state"),
    ],
)
def test_what_stops_the_next_slot_is_named(
    name: str, memory: int, context: int, limit: str
) -> None:
    assert answered(name, memory=memory, context=context).capacity.limited_by == limit


def test_servers_multiply_the_slots() -> None:
    changes: dict[str, Any] = {"memory": 80 * GIB, "context": 131_072}
    one = answered(QWEN35_27B, **changes).capacity
    three = answered(QWEN35_27B, parallel=Parallel(dp=3), **changes).capacity
    assert (three.low, three.high) == (3 * (one.low or 0), 3 * (one.high or 0))


def test_the_fullest_device_decides() -> None:
    """All but one of the layers lie on the second device."""
    options = {"tensor_split": [1.0, 64.0], "ctx_size": 8192, "parallel": 1}
    uneven = answered(QWEN35_27B, options, memory=40 * GIB)
    even = answered(QWEN35_27B, options | {"tensor_split": [1.0, 1.0]}, memory=40 * GIB)
    assert (uneven.capacity.max_requests, even.capacity.max_requests) == (None, 1)
    assert uneven.refusal == "unable to allocate CUDA1 buffer"


def test_overhead_is_taken_from_the_memory() -> None:
    plain = question(LLAMA, memory=24 * GIB, context=8192)
    deployment = deployed(LLAMA, memory=24 * GIB, context=8192)
    machine = Machine(memory_bytes=24 * GIB, overhead_bytes=3 * GIB)
    less = replace(deployment, question=replace(plain, machine=machine))
    same = deployed(LLAMA, memory=21 * GIB, context=8192)
    assert capacity(less) == capacity(same)


def test_a_draft_context_and_its_weights_are_counted() -> None:
    """MTP: three snapshots, one layer of weights and its KV."""
    changes: dict[str, Any] = {"memory": 80 * GIB, "context": 32_768}
    plain = answered(QWEN35_27B, {"n_rs_seq": 3}, **changes)
    drafted = answered(QWEN35_27B, {"spec_type": ["draft-mtp"]}, **changes)
    assert (drafted.capacity.max_requests or 0) < (plain.capacity.max_requests or 0)
    weights = [line.size_bytes for line in drafted.memory if line.name == "weights"]
    assert weights[0] > next(x.size_bytes for x in plain.memory if x.name == "weights")


def test_a_file_without_tensors_counts_its_weights_as_nothing() -> None:
    described = gguf(MODELS["qwen3.5-4b"])
    found = answered(described, memory=8 * GIB, context=8192)
    assert found.layout["weights_bytes_per_rank"] == [0]
    assert "weights-unknown" in {finding.code for finding in found.findings}


def test_experts_in_host_memory_leave_room() -> None:
    changes: dict[str, Any] = {"memory": 24 * GIB, "context": 8192}
    none = answered(QWEN3_NEXT, {"parallel": 1}, **changes)
    all_of_them = answered(QWEN3_NEXT, {"parallel": 1, "cpu_moe": True}, **changes)
    assert (none.capacity.max_requests, all_of_them.capacity.max_requests) == (0, 1)
    some = answered(QWEN3_NEXT, {"parallel": 1, "n_cpu_moe": 12}, **changes).layout
    whole = (
        none.layout["weights_bytes_per_rank"][0] - all_of_them.layout["weights_bytes_per_rank"][0]
    )
    assert (
        none.layout["weights_bytes_per_rank"][0] - some["weights_bytes_per_rank"][0] == whole // 4
    )


def test_memory_lines_add_up_to_the_fullest_device() -> None:
    found = answered(QWEN35_27B, {"parallel": 2, "ctx_size": 16_384}, memory=80 * GIB)
    lines = {line.name: line.size_bytes for line in found.memory if not line.host}
    layout = found.layout
    assert lines["weights"] == layout["weights_bytes_per_rank"][0]
    assert lines["recurrent state"] == layout["rs_bytes_R"] + layout["rs_bytes_S"]
    assert lines["KV cache"] == layout["kv_bytes"]
    assert lines["compute buffers, at most"] == layout["compute_buffer_bytes"]["high"]


def test_memory_lines_hold_a_slot_for_every_request() -> None:
    found = answered(QWEN35_27B, requests=7, context=8192, memory=200 * GIB)
    lines = {line.name: line.size_bytes for line in found.memory if not line.host}
    assert lines["recurrent state"] == 7 * found.bytes_per_slot
    assert lines["KV cache"] == 7 * 8192 * found.kv.bytes_per_token
