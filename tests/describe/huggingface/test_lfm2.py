"""LFM2: which layers convolve, how wide the feed-forward is, and the aliases of its fields."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, published, read, state, total

TINY = {
    "model_type": "lfm2",
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "layer_types": ["conv", "conv", "full_attention", "conv"],
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 275_616, "measured"),
        ({"model_type": "lfm2"}, 2_705_497_600, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


# vLLM 0.33.0, model_executor/models/colbert.py: three names for the width of the projection.
@pytest.mark.parametrize(
    ("fields", "rows"),
    [({}, 0), ({"colbert_dim": 128}, 128), ({"dim": 8}, 8), ({"projection_dim": 16}, 16)],
)
def test_a_colbert_projects_every_token_in_place_of_a_head(
    fields: dict[str, int], rows: int
) -> None:
    model = read(**TINY | fields, architectures=["ColBERTLfm2Model"], tie_word_embeddings=False)
    assert total(model) == 275_616 + rows * 64


def test_without_lists_every_layer_attends_and_nothing_is_recurrent() -> None:
    model = read(model_type="lfm2")
    assert state(model) == {}
    assert kv_per_token(model) == 32 * 2 * 8 * 80


def test_the_window_is_all_state_there_is() -> None:
    assert state(read(**TINY)) == dict.fromkeys([0, 1, 3], (64 * 2,))


def test_attention_may_be_given_by_indices() -> None:
    fields = {name: value for name, value in TINY.items() if name != "layer_types"}
    assert mixers(read(**fields, full_attn_idxs=[2])) == "ccac"
    with pytest.raises(DescriptionError, match=r"full_attn_idxs\[1\]: layer 4 of 4"):
        read(**fields, full_attn_idxs=[2, 4])


@pytest.mark.parametrize(
    ("fields", "width"),
    [
        ({"intermediate_size": 10752}, 7168),
        ({"intermediate_size": 10752, "block_auto_adjust_ff_dim": False}, 10752),
        ({"intermediate_size": 12288, "block_ff_dim": 6656}, 4608),
        ({"intermediate_size": 6656, "block_ffn_dim_multiplier": 1.5}, 6656),
        ({"intermediate_size": 6656, "block_multiple_of": 1024}, 5120),
    ],
)
def test_the_feed_forward_is_derived_unless_the_file_forbids_it(
    fields: dict[str, object], width: int
) -> None:
    assert read(**TINY | fields).blocks["mlp"] == FeedForward(intermediate_size=width)


@pytest.mark.parametrize(
    ("fields", "tied"),
    [
        ({}, True),
        ({"tie_word_embeddings": False}, False),
        ({"tie_embedding": False}, False),
        ({"tie_embedding": False, "tie_word_embeddings": True}, False),
    ],
)
def test_tie_embedding_is_an_alias(fields: dict[str, bool], tied: bool) -> None:
    assert read(**TINY, **fields).tie_embeddings is tied


@pytest.mark.parametrize(("conv_dim", "hint"), [(64, None), (128, 128)])
def test_conv_dim_is_only_a_hint(conv_dim: int, hint: int | None) -> None:
    model = read(**TINY, conv_dim=conv_dim)
    assert model.hints.conv_dim == hint
    assert state(model)[0] == (64 * 2,)


def test_the_published_model_has_its_recorded_sizes() -> None:
    assert total(published("LiquidAI__LFM2-2.6B")) == 2_569_272_320
