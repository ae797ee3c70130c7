"""RWKV-7's time mixing: parameters by the paper's formula, and the state llama.cpp keeps."""

from __future__ import annotations

from ferrum_cli.blocks import Axis, Matrix, Role
from ferrum_cli.blocks.rwkv7 import Rwkv7
from tests.blocks.measure import build, parameters

RANKS = {
    "head_dim": 64,
    "decay_low_rank_dim": 96,
    "a_low_rank_dim": 96,
    "gate_low_rank_dim": 320,
}


def test_rwkv7_2_9b_has_its_published_parameters() -> None:
    # arXiv 2503.14456, table of models: 2,947,735,040; the first layer has no value residual
    hidden, layers = 2560, 32
    first = parameters("rwkv7", hidden, **RANKS)
    later = parameters("rwkv7", hidden, **RANKS, v_low_rank_dim=64)
    channel_mix = parameters("rwkv_channel_mix", hidden, intermediate_size=10240, receptance=False)
    total = first + (layers - 1) * later + layers * (channel_mix + 4 * hidden)
    assert total + 2 * hidden * 65536 + 4 * hidden == 2_947_735_040


def test_without_a_gate_its_mix_and_matrices_are_gone() -> None:
    gated = parameters("rwkv7", 2560, **RANKS)
    plain = parameters("rwkv7", 2560, **(RANKS | {"gate_low_rank_dim": None}))
    assert gated - plain == 2560 + 2 * 2560 * 320


def test_it_keeps_the_last_input_and_a_square_matrix_for_each_head() -> None:
    shift, wkv = build("rwkv7", 2560, **RANKS).state(2560)
    assert shift.role is Role.SHIFT
    assert wkv == Matrix("wkv_state", Axis(40), 64, 64)


def test_heads_that_do_not_fill_the_width_are_refused() -> None:
    assert "head_dim" in (Rwkv7(**RANKS).check(100) or "")
