"""How many tokens each layer of a cache keeps, in DynamicCache and StaticCache."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.blocks.latent_attention import LatentAttention
from tests.engines.transformers.asking import asked, built_from

TOKEN = 2 * 2 * 16 * 2  # keys and values of two heads of sixteen, BF16
lengths = st.integers(1, 5000)
windows = st.integers(2, 600)


def attention(**changes: Any) -> Attention:
    return Attention(num_heads=4, num_kv_heads=2, head_dim=16, **changes)


def kv_bytes(model: Any, **options: Any) -> int:
    found: int = asked(model, **options).layout["kv_bytes"]
    return found


# mistral, gemma2, llama4 and gpt_oss as small models, run with transformers 5.24.0; 16 tokens seen.
@pytest.mark.parametrize(
    ("sizes", "options", "kept"),
    [
        ({}, {}, 16),
        ({"window": 8}, {}, 7),
        ({"window": 2}, {}, 1),
        ({"window": 1}, {}, 16),  # [-W + 1:] is the whole
        ({"window": 17}, {}, 16),
        ({"window": 16}, {}, 15),
        ({"chunk": 8}, {}, 7),
        ({}, {"cache_implementation": "static"}, 16),
        ({}, {"cache_implementation": "static", "max_cache_len": 24}, 24),
        ({}, {"cache_implementation": "static", "max_cache_len": 4}, 16),
        ({"window": 8}, {"cache_implementation": "static"}, 8),
        ({"window": 1}, {"cache_implementation": "static"}, 1),
        ({"window": 20}, {"cache_implementation": "static"}, 16),
        ({"window": 20}, {"cache_implementation": "static", "max_cache_len": 24}, 20),
        ({"chunk": 8}, {"cache_implementation": "static", "max_cache_len": 24}, 8),
    ],
)
def test_a_layer_keeps_the_tokens_that_were_measured(
    sizes: dict[str, int], options: dict[str, Any], kept: int
) -> None:
    model = built_from(attention=attention(**sizes))
    assert kv_bytes(model, seq_len=16, **options) == kept * TOKEN


@given(window=windows, length=lengths)
def test_a_dynamic_window_is_one_token_short_of_a_static_one(window: int, length: int) -> None:
    model = built_from(attention=attention(window=window))
    dynamic = kv_bytes(model, seq_len=length) // TOKEN
    static = kv_bytes(model, seq_len=length, cache_implementation="static") // TOKEN
    assert (dynamic, static) == (min(length, window - 1), min(length, window))


@given(length=lengths, more=st.integers(0, 500), batch=st.integers(1, 64))
def test_bytes_grow_with_length_and_exactly_with_the_batch(
    length: int, more: int, batch: int
) -> None:
    model = built_from("full", "sliding", full=attention(), sliding=attention(window=100))
    one = kv_bytes(model, seq_len=length)
    assert kv_bytes(model, seq_len=length + more) >= one
    assert kv_bytes(model, seq_len=length, batch_size=batch) == batch * one


def test_latent_attention_is_cached_compressed() -> None:
    # deepseek_v2, deepseek_v3, kimi_linear, bailing_hybrid: keys (B, 1, S, 32), values (B, 1, S, 8)
    latent = LatentAttention(
        num_heads=4, kv_lora_rank=32, qk_nope_head_dim=16, qk_rope_head_dim=8, v_head_dim=16
    )
    assert kv_bytes(built_from(mla=latent), seq_len=16) == (1024 + 256)


def test_an_indexer_keeps_its_keys_and_the_first_layer_the_positions_of_all() -> None:
    # qwen4_exp with eight layers, two of them indexed; three int64 positions for a token
    indexer = Indexer(num_heads=2, head_dim=32, positions=3)
    blocks = {"attention": attention(), "indexer": indexer}
    pair = "attention+indexer"
    one, two = (kv_bytes(built_from(*(pair,) * n, **blocks), seq_len=16) for n in (1, 2))
    keys = 16 * 32 * 2
    assert one == 16 * TOKEN + keys + 3 * 16 * 8
    assert two - one == 16 * TOKEN + keys


def test_positions_count_tokens_seen_in_a_static_cache_too() -> None:
    indexer = Indexer(num_heads=2, head_dim=32, positions=3)
    model = built_from("attention+indexer", attention=attention(), indexer=indexer)
    static = kv_bytes(model, seq_len=16, cache_implementation="static", max_cache_len=24)
    assert static == 24 * TOKEN + 24 * 32 * 2 + 3 * 16 * 8


def test_growing_layers_and_windows_are_told_apart() -> None:
    model = built_from("full", "sliding", full=attention(), sliding=attention(window=8))
    kv = asked(model, seq_len=16).kv
    assert (kv.bytes_per_token, kv.window_bytes) == (TOKEN, 7 * TOKEN)
    assert kv.bytes_at_context == (16 + 7) * TOKEN
