"""Feed-forward networks: parameters as transformers 5.24.0 builds them on the meta device."""

from __future__ import annotations

import pytest

from tests.blocks.measure import Sizes, build, parameters


@pytest.mark.parametrize(
    ("hidden", "sizes", "expected", "source"),
    [
        (32, {"intermediate_size": 64}, 6144, "jamba feed_forward"),
        (64, {"intermediate_size": 96}, 18432, "qwen3_5_text mlp"),
        (64, {"intermediate_size": 48, "bias": True}, 9376, "recurrent_gemma mlp_block"),
        (64, {"intermediate_size": 96, "bias": True}, 18688, "falcon_h1, mlp_bias"),
        (128, {"intermediate_size": 384}, 147456, "xlstm ffn"),
        (64, {"intermediate_size": 96, "gated": False}, 12288, "nemotron_h mlp"),
    ],
)
def test_parameters_are_what_transformers_builds(
    hidden: int, sizes: Sizes, expected: int, source: str
) -> None:
    assert parameters("feed_forward", hidden, **sizes) == expected, source


def test_a_feed_forward_keeps_nothing() -> None:
    block = build("feed_forward", 64, intermediate_size=96)
    assert block.state(64) == ()
    assert block.cache(64) == ()
