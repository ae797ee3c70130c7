"""The split of memory between state slots and KV."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.sglang.budget import ratio_for
from ferrum_cli.engines.sglang.device_memory import GIB
from ferrum_cli.engines.sglang.start import Start, start
from tests.engines.sglang.asking import FALCON_MAMBA, LFM2, MEASURED, QWEN3_NEXT, question, started


def spent(found: Start) -> float:
    """Bytes that state and KV are charged with."""
    assert found.split is not None
    assert found.slot is not None
    slots = ((found.slots or 0) + 1) * found.slot.charged_bytes
    return slots + found.split.reserved_bytes + found.split.rings_bytes + found.split.kv_bytes


# What SGLang 0.5.23's own classes compute: slots and KV tokens.
@pytest.mark.parametrize(
    ("options", "slots", "tokens"),
    [
        ({}, 341, 1_201_035),
        ({"mamba_full_memory_ratio": 0.0}, None, None),
        ({"max_mamba_cache_size": 100}, 100, 1_958_739),
        ({"max_mamba_cache_size": 100, "max_total_tokens": 70_001, "page_size": 16}, 100, 70_000),
    ],
)
def test_slots_come_from_the_flag_or_from_memory(
    options: dict[str, Any], slots: int | None, tokens: int | None
) -> None:
    found = started(QWEN3_NEXT, **options)
    assert found.slots == slots
    assert (found.tokens.full if found.tokens else None) == tokens


@given(
    ratio=st.floats(0.01, 20),
    fraction=st.floats(0.5, 0.98),
    free=st.floats(20, 75),
    model=st.sampled_from([QWEN3_NEXT, LFM2, FALCON_MAMBA]),
)
def test_no_byte_is_spent_twice(
    ratio: float, fraction: float, free: float, model: dict[str, Any]
) -> None:
    found = started(
        model,
        mamba_full_memory_ratio=ratio,
        mem_fraction_static=fraction,
        available_gpu_memory_gib=free,
    )
    if found.split is not None:
        rest = found.split.rest_gib * GIB
        assert spent(found) <= rest + 1
        # All of it is used, but for what a float of GiB loses.
        assert spent(found) >= rest - 16


@given(st.floats(0.01, 10), st.floats(0.01, 10))
def test_a_larger_ratio_never_gives_fewer_slots(one: float, other: float) -> None:
    few, many = sorted((one, other))
    less = started(QWEN3_NEXT, mamba_full_memory_ratio=few).slots or 0
    more = started(QWEN3_NEXT, mamba_full_memory_ratio=many).slots or 0
    assert less <= more


@given(st.floats(1, 1e11), st.floats(1, 1e11))
def test_the_ratio_gives_state_what_it_asks_for(state: float, rest: float) -> None:
    ratio = ratio_for(state, rest)
    if state < rest:
        assert rest * ratio / (1 + ratio) >= state * (1 - 1e-9)
    else:
        assert ratio == float("inf")


def test_before_0_5_17_the_padding_row_was_not_paid_for() -> None:
    old = start(question(QWEN3_NEXT, MEASURED, version="0.5.16"))
    assert old.slots == 342


def test_images_are_reserved_for_and_activations_kept_after_capture() -> None:
    plain = started(QWEN3_NEXT)
    late = started(QWEN3_NEXT, post_capture_kv_active=True, mem_fraction_static=0.98)
    assert plain.split is not None
    assert late.split is not None
    assert plain.split.images_gib == 0
    # 512 + 8192 × 1.5 + 128 MiB are more than 2 % of 79 GiB.
    assert late.split.slack_gib == pytest.approx((512 + 8192 * 1.5 + 128) / 1024)


def test_an_oversized_state_pool_gets_sglangs_misleading_words() -> None:
    refusal = started(QWEN3_NEXT, max_mamba_cache_size=2000).refusal
    assert refusal is not None
    assert refusal.text == (
        "ValueError: Loaded weights leave no GPU memory for the KV cache under"
        " --mem-fraction-static=0.9. Raise --mem-fraction-static above 0.241 (minimum viable = 1 -"
        " available/pre = 0.2405). If using speculative decoding, draft weights are now counted."
    )


def test_too_little_memory_for_one_slot_is_refused_with_the_negative_number() -> None:
    found = started(
        QWEN3_NEXT,
        gpu_mem_gib=24.0,
        pre_model_load_memory_gib=23.5,
        available_gpu_memory_gib=2.45,
    )
    assert found.refusal is not None
    assert "Computed max_mamba_cache_size=-1 (total_rest_memory=0.10 GB" in found.refusal.text
