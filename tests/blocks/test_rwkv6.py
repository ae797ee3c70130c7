"""RWKV-6's time mixing: parameters by the paper's formula, and the state llama.cpp keeps."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Matrix, Role, Split, Vector
from tests.blocks.measure import build, parameters


@pytest.mark.parametrize(("hidden", "layers"), [(2048, 24), (2560, 32), (4096, 32)])
def test_a_model_has_the_parameters_of_the_papers_formula(hidden: int, layers: int) -> None:
    # arXiv 2404.05892: 2·D·V + 13·D²·L + D·(464·L + 4), V = 65536, feed-forward 3.5·D
    time_mix = parameters("rwkv6", hidden, num_heads=hidden // 64, head_dim=64)
    channel_mix = parameters("rwkv_channel_mix", hidden, intermediate_size=hidden * 7 // 2)
    norms = 4 * hidden
    total = layers * (time_mix + channel_mix + norms) + 2 * hidden * 65536 + 4 * hidden
    assert total == 2 * hidden * 65536 + 13 * hidden**2 * layers + hidden * (464 * layers + 4)


def test_it_keeps_the_last_input_and_a_matrix_for_each_head() -> None:
    # llama.cpp 0c1e57098: n_embd_s = n_embd · wkv.head_size
    shift, wkv = build("rwkv6", 2048, num_heads=32, head_dim=64).state(2048)
    assert shift == Vector("att_shift", Axis(2048, split=Split.REPLICATED), role=Role.SHIFT)
    assert wkv == Matrix("wkv_state", Axis(32), 64, 64)
    assert 32 * 64 * 64 == 2048 * 64


def test_values_may_be_wider_than_keys() -> None:
    # flash-linear-attention 0.5.2, RWKV6Config: expand_k 0.5, expand_v 1
    state = build("rwkv6", 64, num_heads=4, head_dim=8, value_head_dim=16).state(64)
    assert state[1] == Matrix("wkv_state", Axis(4), 16, 8)
