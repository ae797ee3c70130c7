"""Qwen4-Exp: residual streams instead of norms, an indexer, n-gram features counted from one."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Indexer
from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, read, state, total
from tests.describe.huggingface.plain import DELTA_EXPERTS

TINY = DELTA_EXPERTS | {
    "hc_count": 2,
    "hc_lowrank": 16,
    "ple_layer_ids": [],
    "ple_embed_dim": 64,
    "ngram_vocab_size_base": 512,
    "heads_per_ngram": 2,
    "split_ngram_parts": 4,
    "indexer_n_heads": 2,
    "indexer_kv_heads": 1,
    "indexer_head_dim": 32,
    "indexer_budget": 8,
    "indexer_compress_ratio": 4,
    "model_type": "qwen4_exp_text",
}

NGRAMS = {"ple_layer_ids": [2], "ngram_vocab_size_base": 1000, "eos_token_id": 2}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 288_328, "measured"),
        (TINY | NGRAMS, 367_048, "built"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (384, 1024))
    assert kv_per_token(model) == 160


def test_features_stand_in_the_layers_of_a_list_that_counts_from_one() -> None:
    model = read(**TINY | NGRAMS)
    assert [name for name in model.blocks if name.startswith("ngram")] == ["ngram_2"]
    assert state(model)[1][:2] == ((4 - 1) * 3 * 2 * 64, 2)


def test_without_sizes_of_an_indexer_there_is_none() -> None:
    sizes = ("indexer_n_heads", "indexer_kv_heads", "indexer_head_dim")
    model = read(**TINY | dict.fromkeys(sizes))
    assert "indexer" not in model.blocks
    assert kv_per_token(model) == 2 * 2 * 32


def test_the_positions_of_the_indexer_are_kept_beside_its_keys() -> None:
    cache = read(**TINY).blocks["indexer"].cache(64)[0]
    assert cache == Indexer(key_dim=32, positions=3)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ple_layer_ids": [0]}, "ple_layer_ids: layer 0 of 4, counted from 1"),
        ({"ple_layer_ids": [4]}, r"ple_layer_ids\[0\]: layer 4 is no linear attention"),
        (
            {"ple_layer_ids": [1], "ple_embed_dim": 65},
            "heads_per_ngram: a width of 65 is no multiple of 4 tables",
        ),
        (
            {"ple_layer_ids": [1], "heads_per_ngram": 10**6, "ple_embed_dim": 2 * 10**6},
            "tables, the most is 4096",
        ),
        ({"indexer_head_dim": None}, "indexer_head_dim: is null"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)


def test_the_hints_keep_what_engines_read() -> None:
    assert read(**TINY).hints.index_compress_ratio == 4
    assert read(**TINY | {"indexer_compress_ratio": None}).hints.index_compress_ratio is None
