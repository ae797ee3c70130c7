"""How a hybrid model's block grows; numbers were computed by vLLM 0.32.0 and 0.33.0 themselves."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.describe.description import Description, Layer, Span
from ferrum_cli.engines import Machine
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    AMPERE,
    CODESTRAL,
    HOPPER,
    LLAMA,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    started,
)
from tests.models import described

TRITON = {"gdn_prefill_backend": "triton"}
BLACKWELL = Machine(name="a Blackwell", compute_capability=(10, 0))

BLOCKS: list[tuple[str, dict[str, Any], int, int]] = [
    (QWEN35_27B, {}, 1, 832),
    (QWEN35_27B, TRITON, 1, 784),
    (QWEN35_27B, {"enable_prefix_caching": False}, 1, 784),
    (QWEN35_27B, {"kv_cache_dtype": "fp8"}, 1, 1600),
    (QWEN35_27B, {"block_size": 48}, 1, 960),
    (QWEN35_27B, {}, 8, 448),
    (QWEN3_NEXT, {}, 1, 576),
    (QWEN3_NEXT, {"block_size": 80}, 1, 640),
    (QWEN3_NEXT, {"block_size": 2048}, 1, 2048),
    (QWEN3_NEXT, {"mamba_block_size": 48}, 1, 576),
    (QWEN3_NEXT, TRITON, 4, 272),
    (QWEN3_NEXT, {}, 4, 320),
    (QWEN3_NEXT, {}, 8, 192),
    (QWEN3_NEXT, {}, 16, 128),
]


@pytest.mark.parametrize(("model", "options", "tp", "block"), BLOCKS)
def test_the_block_holds_one_state(
    model: str, options: dict[str, Any], tp: int, block: int
) -> None:
    answer = answered(model, POOL | options, parallel=Parallel(tp), machine=HOPPER)
    assert answer.layout["block_size"] == block


@pytest.mark.parametrize(
    ("machine", "block"), [(HOPPER, 576), (AMPERE, 544), (BLACKWELL, 576), (Machine(), 576)]
)
def test_the_block_hangs_on_the_accelerator(machine: Machine, block: int) -> None:
    assert answered(QWEN3_NEXT, POOL, machine=machine).layout["block_size"] == block


def test_pages_that_are_equal_by_chance_are_not_padded() -> None:
    options = POOL | TRITON | {"kv_cache_dtype": "fp8"}
    layout = answered(QWEN3_NEXT, options, machine=HOPPER).layout
    assert layout["block_size"] == 1072
    assert layout["state_bytes_per_layer"] == layout["state_page_bytes_per_layer"] == 1097728


def test_a_model_without_attention_is_not_aligned() -> None:
    layout = answered(CODESTRAL, POOL, machine=HOPPER).layout
    assert layout["block_size"] == 16
    assert layout["state_page_bytes_per_layer"] == layout["state_bytes_per_layer"]
    assert layout["mamba_block_size"] == answered(CODESTRAL, POOL).capacity.context


def test_prefix_caching_makes_a_state_of_every_block_there() -> None:
    layout = answered(CODESTRAL, POOL | {"enable_prefix_caching": True}, machine=HOPPER).layout
    assert (layout["mamba_cache_mode"], layout["mamba_block_size"]) == ("align", 16)


def test_a_model_without_state_keeps_the_back_ends_block() -> None:
    assert answered(LLAMA, POOL, machine=HOPPER).layout["block_size"] == 16
    assert answered(LLAMA, POOL | {"block_size": 32}, machine=HOPPER).layout["block_size"] == 32


def hybrid(heads: int, width: int, kv_heads: int, head_dim: int) -> Description:
    delta = GatedDeltaNet(
        num_key_heads=heads,
        num_value_heads=heads,
        key_head_dim=width,
        value_head_dim=width,
        conv_kernel=4,
    )
    attention = Attention(num_heads=kv_heads * 2, num_kv_heads=kv_heads, head_dim=head_dim)
    return dataclasses.replace(
        described(),
        architecture="Qwen3NextForCausalLM",
        blocks={"delta": delta, "attention": attention},
        spans=(Span(tuple(Layer(((name,),)) for name in ("delta", "delta", "attention"))),),
    )


@given(
    heads=st.integers(1, 64),
    width=st.sampled_from([32, 64, 128]),
    kv_heads=st.sampled_from([1, 2, 8]),
    head_dim=st.sampled_from([64, 128, 256]),
    asked=st.sampled_from([None, 16, 48, 64, 100, 256]),
    caching=st.booleans(),
)
def test_every_block_holds_a_state_and_no_smaller_multiple_does(
    heads: int, width: int, kv_heads: int, head_dim: int, asked: int | None, caching: bool
) -> None:
    options = POOL | {"enable_prefix_caching": caching, "max_num_seqs": 1}
    if asked is not None:
        options["block_size"] = asked
    found = started(hybrid(heads, width, kv_heads, head_dim), options, machine=HOPPER)
    aligned = found.outcome.alignment
    assert aligned is not None
    token, block = kv_heads * head_dim * 2 * 2, aligned.block_size
    assert aligned.token_bytes == token
    assert block * token >= aligned.state_bytes
    assert aligned.padded_page_bytes in (None, block * token)
    step = math.lcm(aligned.quantum, 16)
    assert step % 16 == 0
    assert not caching or step % 64 == 0
    assert (block - step) * token < aligned.state_bytes or block == aligned.block_size_before
