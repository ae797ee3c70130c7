"""Indexers: parameters as transformers 5.24.0 builds them, and what each token adds."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Indexer
from tests.blocks.measure import Sizes, build, parameters

QWEN = {"num_heads": 2, "head_dim": 32, "positions": 3}
DEEPSEEK = {"num_heads": 4, "head_dim": 16, "q_lora_rank": 24, "head_weights": True}
GLM = DEEPSEEK | {"pool_size": 4}


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        (QWEN, 6208, "qwen4_exp_text"),
        (DEEPSEEK, 2848, "deepseek_v32"),
        (GLM, 3936, "glm5_next_text, index_kpool 4"),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters("indexer", 64, **sizes) == expected, source


@pytest.mark.parametrize(
    ("sizes", "cache", "source"),
    [
        (QWEN, Indexer(32, positions=3), "qwen4_exp_text: (1, S, 32) and int64 (3, 1, S)"),
        (DEEPSEEK, Indexer(16), "deepseek_v32: (B, S, index_head_dim)"),
        (GLM, Indexer(33), "glm5_next_text: (B, S, 2·index_head_dim + 1)"),
    ],
)
def test_every_token_adds_a_key(sizes: Sizes, cache: Indexer, source: str) -> None:
    assert build("indexer", 64, **sizes).cache(64) == (cache,), source


def test_pools_are_scored_instead_of_tokens() -> None:
    tokens, pools = build("indexer", 64, **DEEPSEEK), build("indexer", 64, **GLM)
    assert pools.mixing_flops(64, 1001) == tokens.mixing_flops(64, 251)
