"""Mixtures of experts: parameters as transformers 5.24.0 builds them, and the active ones."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from tests.blocks.measure import Sizes, build, parameters

FOUR = {"num_experts": 4, "experts_per_token": 2}
SHARED = FOUR | {"intermediate_size": 32, "shared_intermediate_size": 32}
ZAYA = {
    "num_experts": 4,
    "experts_per_token": 1,
    "intermediate_size": 64,
    "router_outputs": 5,
    "router_hidden_size": 32,
}
LATENT = FOUR | {"intermediate_size": 48, "shared_intermediate_size": 48, "gated": False}


@pytest.mark.parametrize(
    ("hidden", "sizes", "expected", "source"),
    [
        (32, FOUR | {"intermediate_size": 64}, 24704, "jamba"),
        (64, FOUR | {"intermediate_size": 96}, 73984, "granitemoehybrid, minimax"),
        (64, FOUR | {"intermediate_size": 32}, 24832, "lfm2_moe"),
        (64, SHARED, 30976, "kimi_linear, lara_mini, deepseek_v3"),
        (64, SHARED | {"num_experts": 8}, 55808, "bailing_hybrid"),
        (64, SHARED | {"shared_gate": True}, 31040, "qwen3_5_moe_text"),
        (64, LATENT | {"latent_size": 32}, 22784, "nemotron_h, moe_latent_size"),
        (64, LATENT, 30976, "nemotron_h"),
        (
            64,
            SHARED | {"shared_intermediate_size": 64, "router_outputs": 6, "router_parameters": 1},
            37249,
            "inkling_text: two shared experts in the router, one scale",
        ),
        (64, ZAYA, 53536, "zaya, first layer"),
        (64, ZAYA | {"router_parameters": 32}, 53568, "zaya, later layers: router_states_scale"),
        (
            64,
            FOUR | {"intermediate_size": 32, "bias": True, "router_bias": True},
            25348,
            "gpt_oss",
        ),
    ],
)
def test_parameters_are_what_transformers_builds(
    hidden: int, sizes: Sizes, expected: int, source: str
) -> None:
    assert parameters("mixture_of_experts", hidden, **sizes) == expected, source


def test_the_latent_norm_weighs_the_latent_once() -> None:
    # Kimi-K3, config.json: latent_moe_use_norm
    plain = parameters("mixture_of_experts", 64, **LATENT, latent_size=32)
    assert parameters("mixture_of_experts", 64, **LATENT, latent_size=32, latent_norm=True) == (
        plain + 32
    )


def test_only_the_chosen_experts_and_the_shared_one_are_active() -> None:
    weights = build("mixture_of_experts", 64, **SHARED).weights(64)
    idle = sum(w.elements - w.active_elements for w in weights)
    assert idle == 2 * 3 * 64 * 32


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"experts_per_token": 5}, "num_experts"),
        ({"num_experts": 0, "experts_per_token": 0}, "no experts"),
        ({"latent_norm": True}, "latent_size"),
    ],
)
def test_sizes_that_do_not_go_together_are_named(wrong: Sizes, word: str) -> None:
    assert word in (MixtureOfExperts(**(SHARED | wrong)).check(64) or "")
