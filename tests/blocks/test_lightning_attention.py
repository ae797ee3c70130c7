"""Lightning attention: parameters as transformers 5.24.0 builds them, and the state."""

from __future__ import annotations

from ferrum_cli.blocks import Axis, Matrix
from tests.blocks.measure import build, parameters

SMALL = {"num_heads": 4, "head_dim": 16}


def test_parameters_of_minimax_are_what_transformers_builds() -> None:
    assert parameters("lightning_attention", 64, **SMALL) == 20544


def test_ling_adds_norms_on_queries_and_keys() -> None:
    # vLLM 0.32.0 bailing_linear_attn.py: query_layernorm and key_layernorm of head_dim
    assert parameters("lightning_attention", 64, **SMALL, qk_norm=True) == 20544 + 2 * 16


def test_without_gate_and_norm_four_matrices_remain() -> None:
    bare = parameters("lightning_attention", 64, **SMALL, output_gate=False, output_norm=False)
    assert bare == 4 * 64 * 64


def test_biases_are_as_wide_as_what_they_shift() -> None:
    biased = parameters("lightning_attention", 64, **SMALL, qkv_bias=True, output_bias=True)
    assert biased == 20544 + 3 * 64 + 64


def test_the_state_is_a_square_matrix_for_each_head() -> None:
    # transformers 5.24.0, small minimax: recurrent_state (1, 4, 16, 16)
    assert build("lightning_attention", 64, **SMALL).state(64) == (
        Matrix("attention_state", Axis(4), 16, 16),
    )


def test_a_slot_of_minicpm_sala_weighs_what_sglang_reserves() -> None:
    # SGLang 0.5.23, MiniCPM-SALA tp 1: 50,331,648 bytes in 24 layers of float32
    (state,) = build("lightning_attention", 4096, num_heads=32, head_dim=128).state(4096)
    assert isinstance(state, Matrix)
    assert 24 * 4 * state.heads.size * state.value_dim * state.key_dim == 50_331_648
