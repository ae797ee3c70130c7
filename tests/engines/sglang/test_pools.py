"""KV tokens and running requests."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.sglang.pools import running_requests
from ferrum_cli.engines.sglang.refusals import Refusal
from tests.engines.sglang.asking import FALCON_MAMBA, LLAMA, QWEN3_NEXT, answered, started


@given(tokens=st.integers(2, 10**9), slots=st.integers(1, 10**6))
def test_requests_never_exceed_slots_or_half_the_tokens(tokens: int, slots: int) -> None:
    launch = started(QWEN3_NEXT).launch
    assert launch is not None
    found = running_requests(launch, tokens, slots)
    if isinstance(found, Refusal):
        assert min(slots // 5, tokens // 2) == 0
        return
    assert found.count <= min(slots // 5, tokens // 2, 4096)
    assert found.count >= 1


# mem_cache/kv_cache_configurator.py: clamp(int(tokens / context_len * 512), 2048, 4096).
@pytest.mark.parametrize(
    ("tokens", "expected"), [(500_000, 2048), (900_000, 3515), (10_000_000, 4096), (3000, 1500)]
)
def test_sglang_estimates_the_requests_it_is_not_told(tokens: int, expected: int) -> None:
    launch = started(LLAMA).launch
    assert launch is not None
    found = running_requests(launch, tokens, None)
    assert not isinstance(found, Refusal)
    assert found.count == expected


@pytest.mark.parametrize(
    ("options", "tokens", "requests"),
    # SGLang 0.5.23: without KV the tokens are the context, or the flag.
    [({}, 2048, 240), ({"max_total_tokens": 65_536}, 65_536, 240)],
)
def test_a_pure_state_space_model_counts_tokens_without_having_any(
    options: dict[str, Any], tokens: int, requests: int
) -> None:
    layout = answered(FALCON_MAMBA, **options).layout
    assert layout["kv_cell_size_bytes_per_token"] == 0
    assert layout["max_total_num_tokens"] == tokens
    assert layout["max_running_requests"] == requests


def test_a_state_pool_below_one_request_is_refused() -> None:
    refusal = started(QWEN3_NEXT, max_mamba_cache_size=4).refusal
    assert refusal is not None
    assert refusal.text == (
        "RuntimeError: Hybrid (mamba/linear-attention) state cache is too small to serve any"
        " requests. max_mamba_cache_size=4, mamba_ratio=5, resulting max_num_reqs=0. Try: (1)"
        " reduce --max-running-requests, (2) increase --mem-fraction-static, or (3) use GPUs with"
        " more memory."
    )


def test_no_room_for_a_single_page_is_refused() -> None:
    refusal = started(QWEN3_NEXT, max_total_tokens=1, page_size=64).refusal
    assert refusal is not None
    assert refusal.text.startswith("RuntimeError: Not enough memory.")
