"""Kimi-K3: what it adds to Kimi-Linear, counted as mlx-lm 0.32.2 builds it."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.describe.huggingface._wrapper import NO_TOWER
from tests.describe.huggingface.measure import (
    bytes_per_slot,
    kv_per_token,
    mixers,
    published,
    read,
    total,
)

TEXT = {
    "num_hidden_layers": 2,
    "linear_attn_config": {"kda_layers": [1], "full_attn_layers": [2]},
    "num_experts": 8,
}


def test_the_published_model_has_its_recorded_sizes() -> None:
    model = published("moonshotai__Kimi-K3")
    biases_of_routers = 92 * 896
    assert total(model) == 2_779_484_476_000 - biases_of_routers
    assert bytes_per_slot(model) == 449_372_160
    assert kv_per_token(model) == 24 * 576
    assert mixers(model).count("k") == 69


def test_the_published_model_keeps_what_engines_read() -> None:
    model = published("moonshotai__Kimi-K3")
    assert model.hints.gate_lower_bound == -5.0
    assert model.hints.kv_cache_dtype is None
    assert model.hints.quantization_method == "compressed-tensors"
    assert (model.hints.vision_layers, model.hints.vision_hidden_size) == (27, 1024)
    assert NO_TOWER not in model.notes


def test_the_tower_is_the_sum_of_what_vllm_builds() -> None:
    # vLLM 0.33.0, model_executor/models/kimi_k25_vit.py: sizes of the published file.
    layer = 2 * 1024 + 4 * 1024 * 1536 + 2 * 1024 * 4096
    embedding = 1024 * (3 * 14 * 14 + 64 * 64)
    projector = 4096 * 4096 + 4096 * 7168 + 7168
    model = published("moonshotai__Kimi-K3")
    assert model.vision_parameters == embedding + 27 * layer + 1024 + projector


@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ({"attn_bias": True}, 27 * (3 * 1536 + 1024)),
        ({"linear_bias": True}, 27 * (4096 + 1024)),
        ({"patch_embed_proj_bias": True}, 1024),
        ({"norm_type": "layernorm"}, (2 * 27 + 1) * 1024),
    ],
)
def test_biases_of_the_tower_count(fields: dict[str, Any], more: int) -> None:
    plain, other = (
        read(model_type="kimi_k3", text_config=TEXT, vision_config=vision)
        for vision in ({}, fields)
    )
    assert other.vision_parameters - plain.vision_parameters == more


def test_a_tower_that_is_not_described_is_not_counted() -> None:
    for vision in (None, {"mm_projector_type": "patchmerger"}):
        model = read(model_type="kimi_k3", text_config=TEXT, vision_config=vision)
        assert model.vision_parameters == 0
        assert NO_TOWER in model.notes


def test_every_addition_may_be_absent() -> None:
    plain = read(model_type="kimi_linear", **TEXT)
    assert total(read(model_type="kimi_k3", text_config=TEXT)) == total(plain)


def test_every_addition_weighs_something() -> None:
    additions = {
        "attn_res_block_size": 12,
        "mla_use_output_gate": True,
        "routed_expert_hidden_size": 512,
    }
    plain = read(model_type="kimi_k3", text_config=TEXT)
    for name, value in additions.items():
        assert total(read(model_type="kimi_k3", text_config=TEXT | {name: value})) != total(plain)
