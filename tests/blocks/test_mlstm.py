"""The mLSTM: parameters as transformers 5.24.0 builds them, and C, n and m."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Matrix, Vector
from ferrum_cli.blocks.mlstm import Mlstm
from tests.blocks.measure import Sizes, build, parameters

SMALL = {"num_heads": 4, "qk_head_dim": 16, "v_head_dim": 32}


@pytest.mark.parametrize(
    ("sizes", "expected", "source"),
    [
        (SMALL, 66696, "xlstm"),
        (SMALL | {"bias": True}, 67336, "xlstm, use_bias"),
    ],
)
def test_parameters_are_what_transformers_builds(sizes: Sizes, expected: int, source: str) -> None:
    assert parameters("mlstm", 128, **sizes) == expected, source


def test_it_keeps_a_matrix_a_normaliser_and_a_stabiliser() -> None:
    # transformers 5.24.0, small xlstm: C (1, 4, 16, 32), n (1, 4, 16), m (1, 4, 1)
    assert build("mlstm", 128, **SMALL).state(128) == (
        Matrix("c_state", Axis(4), 32, 16),
        Vector("n_state", Axis(4, 16), flat=False),
        Vector("m_state", Axis(4), flat=False),
    )


def test_widths_that_the_cache_would_round_are_refused() -> None:
    # transformers 5.24.0: the cache makes 64 of 40, the layer does not, and the forward pass fails
    block = Mlstm(num_heads=4, qk_head_dim=10, v_head_dim=16)
    assert "qk_head_dim is 40" in (block.check(80) or "")
