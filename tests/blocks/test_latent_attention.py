"""Latent attention: parameters as transformers 5.24.0 builds them, and the compressed row."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Latent
from ferrum_cli.blocks.latent_attention import LatentAttention
from tests.blocks.measure import Sizes, build, cached, parameters

SMALL = {
    "num_heads": 4,
    "kv_lora_rank": 32,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
}
QUERIES = SMALL | {"q_lora_rank": 24}
GATE_PER_HEAD = {"output_gate": True, "gate_per_head": True}


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        (SMALL, 16928, "kimi_linear"),
        (SMALL | GATE_PER_HEAD, 17184, "bailing_hybrid"),
        (QUERIES, 14648, "deepseek_v3"),
        (QUERIES | {"bias": True}, 14776, "deepseek_v3, attention_bias"),
        (QUERIES | GATE_PER_HEAD, 14904, "bailing_hybrid, q_lora_rank"),
        (QUERIES | {"qk_rope_head_dim": 0}, 13368, "glm5_next_text without its indexer"),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters("latent_attention", 64, **sizes) == expected, source


def test_a_gate_for_each_channel_is_as_wide_as_the_output() -> None:
    # Kimi-K3, config.json: mla_use_output_gate
    grown = parameters("latent_attention", 64, **QUERIES, output_gate=True)
    assert grown == 14648 + 64 * 4 * 16


@pytest.mark.parametrize(
    ("rank", "rope", "elements", "source"),
    [
        (512, 64, 576, "Kimi-Linear-48B, Ling-3.0-tiny, DeepSeek-V3: vLLM 0.32.0 t1 of MLA"),
        (32, 8, 40, "kimi_linear, transformers 5.24.0"),
    ],
)
def test_every_token_adds_one_compressed_row(
    rank: int, rope: int, elements: int, source: str
) -> None:
    sizes = SMALL | {"kv_lora_rank": rank, "qk_rope_head_dim": rope}
    assert build("latent_attention", 64, **sizes).cache(64) == (Latent(rank, rope),)
    assert cached("latent_attention", 64, **sizes) == elements, source


def test_a_sparse_attention_reads_no_more_than_topk_tokens() -> None:
    block = build("latent_attention", 64, **SMALL, topk=8)
    assert block.mixing_flops(64, 1000) == block.mixing_flops(64, 8)


def test_a_gate_per_head_without_a_gate_is_refused() -> None:
    assert "output_gate" in (LatentAttention(**SMALL, gate_per_head=True).check(64) or "")
