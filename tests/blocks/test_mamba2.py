"""Mamba-2: parameters as transformers 5.24.0 builds them, and the state it measures."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Matrix, Split, Window
from ferrum_cli.blocks.mamba2 import Mamba2
from tests.blocks.measure import Sizes, build, parameters

SMALL = {"num_heads": 8, "head_dim": 16, "num_groups": 2, "state_size": 16, "conv_kernel": 4}
ONE_GROUP = SMALL | {"num_heads": 6, "num_groups": 1}


@pytest.mark.parametrize(
    ("hidden", "sizes", "expected", "source"),
    [
        (64, SMALL, 30296, "mamba2, bamba, zamba2"),
        (48, ONE_GROUP | {"state_size": 32, "conv_kernel": 3}, 17938, "mamba2, conv_kernel 3"),
        (64, SMALL | {"num_groups": 1}, 28088, "granitemoehybrid"),
        (64, ONE_GROUP | {"num_groups": 2}, 23826, "nemotron_h"),
        (64, ONE_GROUP | {"gated_norm": False}, 21522, "falcon_h1"),
        (64, ONE_GROUP | {"in_bias": True}, 21848, "falcon_h1, mamba_proj_bias, mamba_rms_norm"),
        (
            64,
            SMALL | {"conv_bias": False, "in_bias": True, "out_bias": True},
            30496,
            "mamba2, use_bias, no use_conv_bias",
        ),
    ],
)
def test_parameters_are_what_transformers_builds(
    hidden: int, sizes: Sizes, expected: int, source: str
) -> None:
    assert parameters("mamba2", hidden, **sizes) == expected, source


@pytest.mark.parametrize(
    ("sizes", "channels", "state", "source"),
    [
        (SMALL, 192, 2048, "mamba2, transformers: conv (192, 4), state (8, 16, 16)"),
        (
            {
                "num_heads": 128,
                "head_dim": 64,
                "num_groups": 1,
                "state_size": 128,
                "conv_kernel": 4,
            },
            8448,
            1048576,
            "Granite-4.0-H-Small, vLLM 0.32.0: 8448 channels at tp 1",
        ),
        (
            {"num_heads": 64, "head_dim": 64, "num_groups": 8, "state_size": 128, "conv_kernel": 4},
            6144,
            524288,
            "Nemotron-3-Nano-30B-A3B, SGLang 0.5.23: 49,082,368 bytes in 23 layers",
        ),
    ],
)
def test_the_window_covers_x_and_both_groups(
    sizes: Sizes, channels: int, state: int, source: str
) -> None:
    conv, ssm = build("mamba2", 64, **sizes).state(64)
    assert isinstance(conv, Window)
    assert isinstance(ssm, Matrix)
    assert sum(axis.size for axis in conv.channels) == channels, source
    assert ssm.heads.size * ssm.value_dim * ssm.key_dim == state, source


def test_groups_may_be_raised_to_the_ranks_and_heads_may_not() -> None:
    conv, ssm = build("mamba2", 64, **SMALL).state(64)
    splits = [axis.split for axis in conv.channels]
    assert splits == [Split.HEADS, Split.GROUPS, Split.GROUPS]
    assert ssm == Matrix("ssm_state", Axis(8), 16, 16)


def test_heads_that_do_not_share_groups_are_refused() -> None:
    assert "num_groups" in (Mamba2(**(SMALL | {"num_groups": 3})).check(64) or "")
