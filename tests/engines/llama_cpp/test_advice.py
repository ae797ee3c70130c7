"""What sizes a start, and what else may help: planned again, it reaches what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrum_cli.engines import Answer, Change, Machine, engine
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.advice import Outcome
from tests.engines.llama_cpp.asking import (
    GIB,
    LFM25,
    LLAMA,
    MAMBA,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    model,
)

NAMES = st.sampled_from([QWEN35_27B, LFM25, LLAMA, MAMBA])


def change(found: Answer, price: str) -> Change:
    """The change with that price."""
    (only,) = (c for c in found.changes if c.price == price)
    return only


def with_options(name: str, options: Mapping[str, Any], **changes: Any) -> Answer:
    """The model planned with options besides; those that are None are left out."""
    return answered(name, {n: v for n, v in options.items() if v is not None}, **changes)


@given(NAMES, st.integers(1, 12), st.integers(1_000, 100_000), st.integers(6, 180))
@settings(max_examples=60)
def test_a_sized_start_runs_as_many_as_it_has_slots(
    name: str, requests: int, context: int, gib: int
) -> None:
    wanted = {"context": context, "memory": gib * GIB}
    sizing = answered(name, requests=requests, **wanted).sizing
    if not sizing:
        return
    found = with_options(name, sizing, **wanted)
    assert found.refusal is None
    assert found.capacity.max_requests == sizing["parallel"] <= requests
    assert found.layout["n_ctx_effective"] == sizing["ctx_size"] >= context * sizing["parallel"]


def test_slots_of_a_sized_start_have_caches_of_their_own() -> None:
    found = answered(QWEN35_27B, requests=2, context=8192, memory=80 * GIB)
    assert found.sizing == {"parallel": 2, "ctx_size": 16_384}


def test_slots_share_a_cache_where_that_was_set() -> None:
    options = {"kv_unified": True}
    found = answered(QWEN35_27B, options, requests=2, context=8192, memory=80 * GIB)
    assert found.sizing == {"parallel": 2, "ctx_size": 16_384, "kv_unified": True}


def test_slots_share_a_cache_where_the_model_cannot_run_otherwise() -> None:
    """Three streams do not divide a batch of 512 evenly."""
    found = answered("kimi-linear-48b-a3b", requests=3, context=8192, memory=80 * GIB)
    assert found.sizing["kv_unified"] is True


def test_a_start_is_sized_without_a_memory_for_the_requests_that_are_named() -> None:
    assert answered(QWEN35_27B, requests=3, context=8192).sizing["parallel"] == 3
    assert answered(QWEN35_27B, context=8192).sizing == {}


def test_what_does_not_fit_with_one_slot_is_not_sized() -> None:
    assert answered(QWEN35_27B, requests=2, context=8192, memory=20 * GIB).sizing == {}


@pytest.mark.parametrize(
    ("name", "options", "prices"),
    [
        (
            LLAMA,
            {},
            [
                "prompts are read in smaller pieces",
                "keys and values in 8 bits",
                "keys and values in 4 bits",
                "layers on the host: much slower",
            ],
        ),
        (
            LLAMA,
            {"cache_type_k": "q8_0", "cache_type_v": "q8_0", "ubatch_size": 64},
            ["keys and values in 4 bits", "layers on the host: much slower"],
        ),
        (
            MAMBA,
            {},
            ["prompts are read in smaller pieces", "layers on the host: much slower"],
        ),
        (
            QWEN3_NEXT,
            {"cache_type_k": "q4_0", "cache_type_v": "q4_0"},
            [
                "prompts are read in smaller pieces",
                "experts on the host: slower decoding",
                "layers on the host: much slower",
            ],
        ),
        (
            QWEN35_27B,
            {"spec_type": ["draft-mtp"], "cache_type_k": "q4_0", "cache_type_v": "q4_0"},
            [
                "prompts are read in smaller pieces",
                "slower decoding, without drafts",
                "layers on the host: much slower",
            ],
        ),
    ],
)
def test_changes_come_cheapest_first_and_only_where_there_is_something_to_change(
    name: str, options: dict[str, Any], prices: list[str]
) -> None:
    found = answered(name, options, memory=80 * GIB)
    assert [c.price for c in found.changes] == prices


@given(
    st.sampled_from([QWEN35_27B, LLAMA, QWEN3_NEXT, MAMBA]),
    st.sampled_from([{}, {"spec_type": ["draft-mtp"]}]),
    st.integers(24, 200),
)
@settings(max_examples=40)
def test_no_change_needs_more_of_a_device(name: str, options: dict[str, Any], gib: int) -> None:
    if name in {LLAMA, MAMBA}:
        options = {}
    wanted: dict[str, Any] = {"context": 8192, "memory": gib * GIB}
    base = device_bytes(answered(name, options, **wanted))
    for found in answered(name, options, **wanted).changes:
        assert device_bytes(with_options(name, {**options, **found.steps[-1]}, **wanted)) <= base


def device_bytes(found: Answer) -> int:
    """What the fullest device needs for the slots that are laid out."""
    return sum(line.size_bytes for line in found.memory if not line.host)


def test_nothing_helps_what_is_refused_for_another_reason() -> None:
    options = {"cache_type_v": "q8_0", "flash_attn": "off"}
    assert answered(QWEN35_27B, options, memory=24 * GIB).changes == ()


def test_more_devices_take_whole_layers() -> None:
    assert answered(QWEN35_27B).spread == ("pp",)


@given(
    st.sampled_from([QWEN35_27B, LLAMA, QWEN3_NEXT]),
    st.integers(1, 8),
    st.sampled_from([4096, 32_768, 100_000]),
    st.integers(16, 120),
)
@settings(max_examples=15)
def test_advice_that_reaches_the_target_does(
    name: str, requests: int, context: int, gib: int
) -> None:
    llama_cpp = engine("llama.cpp")
    wanted = Wanted(requests=requests, context=context, machine=Machine(memory_bytes=gib * GIB))
    found = plan(model(name), llama_cpp, wanted).advice
    if found is None or found.outcome is not Outcome.REACHED:
        return
    assert found.chosen is not None
    again = llama_cpp.answer(replace(found.chosen.question, requests=requests))
    assert again.refusal is None
    assert (again.capacity.max_requests or 0) >= requests
