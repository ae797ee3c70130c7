"""Weights on a rank, as vLLM loads them."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import engine
from ferrum_cli.expand import Parallel
from ferrum_cli.plan import Wanted, plan
from tests.models import described, qwen3_next

VLLM = engine("vllm")
EXPERTS = 2 * 48 * 512 * 3 * 2048 * 512
"""Bytes of Qwen3-Next's routed experts in bfloat16."""
ALL = 2 * 79_674_391_296


def weights(parallel: Parallel) -> int:
    made = plan(qwen3_next(), VLLM, Wanted(parallel=parallel))
    assert made.weights.bytes_per_rank == (made.answer.memory[0].size_bytes,)
    return made.weights.bytes_per_rank[0]


@pytest.mark.parametrize("dp", [1, 2, 4])
def test_replicas_of_a_mixture_of_experts_share_its_routed_experts(dp: int) -> None:
    # vLLM's documentation of data parallel deployment: expert layers form a group of dp × tp ranks
    assert weights(Parallel(dp=dp)) == ALL - EXPERTS + EXPERTS // dp


def test_replicas_of_a_dense_model_hold_all_of_it() -> None:
    one, four = (plan(described(), VLLM, Wanted(parallel=Parallel(dp=dp))).weights for dp in (1, 4))
    assert one == four
