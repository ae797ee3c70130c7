"""RWKV-4's time mixing: parameters as transformers 5.24.0 builds them, and the state."""

from __future__ import annotations

from ferrum_cli.blocks import Role, Vector
from tests.blocks.measure import build, parameters


def test_parameters_are_what_transformers_builds() -> None:
    assert parameters("rwkv4", 64) == 16704


def test_it_keeps_a_shift_and_three_vectors_as_wide_as_the_model() -> None:
    # transformers 5.24.0, small rwkv: att_shift, att_num, att_den, att_max of (1, 64)
    parts = build("rwkv4", 64).state(64)
    assert [part.name for part in parts] == ["att_shift", "att_num", "att_den", "att_max"]
    assert [part.role for part in parts] == [Role.SHIFT, *[Role.RECURRENT] * 3]
    assert all(isinstance(part, Vector) and part.axis.size == 64 for part in parts)
