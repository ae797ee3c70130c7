"""Attention: parameters as transformers 5.24.0 builds them on the meta device, and caches."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, KeyValue, Split
from ferrum_cli.blocks.attention import Attention
from tests.blocks.measure import Sizes, build, cached, parameters

GQA = {"num_heads": 4, "num_kv_heads": 2, "head_dim": 16}
MHA = {"num_heads": 4, "num_kv_heads": 4, "head_dim": 16}

PARAMETERS = [
    # hidden_size, sizes, parameters, model type (one layer's self_attn)
    (64, GQA, 12288, "bamba, falcon_h1, granitemoehybrid, nemotron_h, minimax"),
    (64, GQA | {"qk_norm": True}, 12320, "lfm2, lfm2_moe, lara_mini"),
    (
        64,
        GQA | {"qk_norm": True, "output_gate": True, "gate_per_head": True},
        12576,
        "lfm3",
    ),
    (
        64,
        GQA | {"head_dim": 32, "qk_norm": True, "output_gate": True},
        32832,
        "qwen3_5_text, qwen3_next",
    ),
    (64, MHA | {"qk_norm": True, "qk_norm_full": True}, 16512, "olmo_hybrid"),
    (64, GQA | {"qkv_bias": True}, 12416, "qwen2"),
    (64, GQA | {"qkv_bias": True, "output_bias": True}, 12480, "falcon_h1, attention_bias"),
    (
        64,
        GQA | {"qkv_bias": True, "output_bias": True, "sinks": True},
        12484,
        "gpt_oss",
    ),
    (64, GQA | {"num_kv_heads": 1, "output_bias": True}, 10304, "recurrent_gemma"),
    (64, GQA | {"head_dim": 24, "value_head_dim": 16}, 15360, "mimo_v2_flash"),
]

WIDE_INPUT = [
    # The norm before the block is 2·hidden wide; the description counts the first half of it.
    (32, MHA | {"input_size": 64}, 14336 + 32, "zamba shared_transf.self_attn"),
    (64, MHA | {"head_dim": 32, "input_size": 128}, 57344 + 64, "zamba2 shared_transformer"),
]


@pytest.mark.parametrize(("hidden", "sizes", "expected", "source"), PARAMETERS + WIDE_INPUT)
def test_parameters_are_what_transformers_builds(
    hidden: int, sizes: Sizes, expected: int, source: str
) -> None:
    assert parameters("attention", hidden, **sizes) == expected, source


@pytest.mark.parametrize(
    ("sizes", "elements", "source"),
    [
        ({"num_heads": 16, "num_kv_heads": 2, "head_dim": 256}, 1024, "Qwen3-Next-80B-A3B"),
        ({"num_heads": 10, "num_kv_heads": 1, "head_dim": 256}, 512, "recurrentgemma-2b"),
        ({"num_heads": 16, "num_kv_heads": 16, "head_dim": 464}, 14848, "Zamba-7B"),
        (GQA | {"head_dim": 24, "value_head_dim": 16}, 80, "mimo_v2_flash"),
    ],
)
def test_every_token_adds_a_key_and_a_value_for_each_kv_head(
    sizes: Sizes, elements: int, source: str
) -> None:
    assert cached("attention", 64, **sizes) == elements, source


@pytest.mark.parametrize("limit", ["window", "chunk"])
def test_a_window_or_a_chunk_bounds_the_tokens_that_are_kept(limit: str) -> None:
    block = build("attention", 64, **GQA, **{limit: 8})
    assert block.cache(64) == (KeyValue(2, 16, 16, window=8),)


def test_attention_keeps_no_recurrent_state() -> None:
    assert build("attention", 64, **GQA).state(64) == ()


def test_queries_and_kv_heads_split_by_rules_of_their_own() -> None:
    axes = {w.name: w.axis for w in build("attention", 64, **GQA).weights(64)}
    assert axes["q_proj"] == Axis(4, 16, Split.QUERY_HEADS)
    assert axes["k_proj"] == Axis(2, 16, Split.KV_HEADS)


@pytest.mark.parametrize("limit", ["window", "chunk", "topk"])
def test_scores_stop_growing_at_the_tokens_that_are_read(limit: str) -> None:
    block = build("attention", 64, **GQA, **{limit: 8})
    assert block.mixing_flops(64, 4) == 2 * 4 * 32 * 4
    assert block.mixing_flops(64, 1000) == 2 * 4 * 32 * 8


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"num_kv_heads": 3}, "num_kv_heads"),
        ({"window": 8, "chunk": 8}, "chunk"),
        ({"gate_per_head": True}, "output_gate"),
        ({"qk_norm_full": True}, "qk_norm"),
    ],
)
def test_sizes_that_do_not_go_together_are_named(wrong: Sizes, word: str) -> None:
    assert word in (Attention(**(GQA | wrong)).check(64) or "")
