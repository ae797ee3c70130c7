"""Parameters are counted as transformers builds the model, and split over ranks."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe import shipped
from ferrum_cli.describe.description import Draft, Layer, Span
from ferrum_cli.describe.source import read_model
from ferrum_cli.expand import (
    Parallel,
    counted_parameters,
    parameters,
    weight_bytes_per_rank,
)
from tests.models import described, qwen3_next

# attention 64·(4+2·2)·16 + 4·16·64, mlp 3·64·128, two norms of 64
LAYER = 64 * 8 * 16 + 4 * 16 * 64 + 3 * 64 * 128 + 2 * 64


def test_qwen3_next_has_the_parameters_that_transformers_counts() -> None:
    # transformers 5.24.0, measured on the meta device: 79,674,391,296
    assert parameters(qwen3_next()).total == 79_674_391_296


def test_embeddings_head_layers_and_final_norm_add_up() -> None:
    assert parameters(described()).total == 2 * 64_000 + 2 * LAYER + 64


def test_tied_embeddings_are_counted_once_but_serve_every_token() -> None:
    tied, untied = parameters(described(tie_embeddings=True)), parameters(described())
    assert untied.total - tied.total == 64_000
    assert untied.active == tied.active


def test_experts_that_do_not_serve_a_token_are_not_active() -> None:
    counts = parameters(qwen3_next())
    experts = 48 * (512 - 10) * 3 * 2048 * 512
    embedding = 151936 * 2048
    assert counts.active == counts.total - experts - embedding


def test_a_shared_block_weighs_once_and_an_unshared_one_each_time() -> None:
    blocks = dict(described().blocks)
    shared = blocks | {"mlp": FeedForward(intermediate_size=128, shared=True)}
    difference = parameters(described()).total - parameters(described(blocks=shared)).total
    assert difference == 3 * 64 * 128 + 64  # and the norm before it


def test_layers_that_run_several_times_weigh_once() -> None:
    layers = described().spans[0].layers
    once, thrice = described(), described(spans=(Span(layers, passes=3),))
    assert parameters(thrice) == parameters(once)
    assert weight_bytes_per_rank(thrice, Parallel()) == weight_bytes_per_rank(once, Parallel())


@pytest.mark.parametrize(("norm", "vectors"), [("rms", 1), ("layer", 2), ("none", 0)])
def test_norms_weigh_by_their_kind(norm: str, vectors: int) -> None:
    without = parameters(described(norm="none")).total
    assert parameters(described(norm=norm)).total - without == vectors * 64 * 5


def test_sandwich_norms_stand_before_and_after_every_entry() -> None:
    assert parameters(described(post_norm=True)).total - parameters(described()).total == 2 * 2 * 64


def test_draft_layers_are_counted_apart() -> None:
    draft = Draft("mtp", (Layer((("attention",), ("mlp",))),))
    counts = parameters(described(draft=draft))
    assert counts.total == parameters(described()).total
    assert counts.draft == LAYER + 2 * 64 * 64 + 3 * 64
    own = dataclasses.replace(draft, shares_embeddings=False)
    assert parameters(described(draft=own)).draft == counts.draft + 2 * 64_000


def test_one_rank_holds_every_parameter() -> None:
    model = described(vision_parameters=500, other_parameters=30)
    total = parameters(model).total + 500
    assert weight_bytes_per_rank(model, Parallel()) == (2 * total,)


def test_kv_heads_are_replicated_beyond_their_number_and_norms_everywhere() -> None:
    (on_rank,) = weight_bytes_per_rank(described(), Parallel(tp=4))
    attention = 64 * 1 * 16 + 2 * 64 * 1 * 16 + 16 * 64  # one query head, one KV head of two
    layer = attention + 3 * 64 * 32 + 2 * 64
    assert on_rank == 2 * (2 * 64 * 250 + 2 * layer + 64)


def test_tied_embeddings_stand_on_the_first_and_the_last_stage() -> None:
    tied = described(tie_embeddings=True)
    assert weight_bytes_per_rank(tied, Parallel(pp=2)) == (
        2 * (64_000 + LAYER),
        2 * (64_000 + LAYER + 64),
    )


@given(st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 4))
def test_the_ranks_together_weigh_at_least_the_model(tp: int, pp: int) -> None:
    model = qwen3_next()
    total = sum(weight_bytes_per_rank(model, Parallel(tp=tp, pp=pp))) * tp
    assert total >= 2 * parameters(model).total


@pytest.mark.parametrize("name", shipped.names())
def test_what_the_parameters_are_made_of_adds_up_to_them(name: str) -> None:
    model = read_model(name)
    parts = counted_parameters(model)
    assert sum(times * each for _, times, each in parts) == parameters(model).total


def test_routed_experts_split_over_more_ranks_than_the_rest_where_an_engine_has_them() -> None:
    model = qwen3_next()
    (alone,) = weight_bytes_per_rank(model, Parallel())
    (shared,) = weight_bytes_per_rank(model, Parallel(), expert_ranks=4)
    experts = 2 * 48 * 512 * 3 * 2048 * 512
    assert alone - shared == experts - experts // 4
    assert weight_bytes_per_rank(model, Parallel(), expert_ranks=1) == (alone,)
