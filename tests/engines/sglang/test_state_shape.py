"""Tensors of one state slot, with SGLang's placeholders and quirks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.blocks.kimi_delta_attention import KimiDeltaAttention
from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.blocks.mamba1 import Mamba1
from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.blocks.short_conv import ShortConv
from ferrum_cli.describe.description import Layer, Span
from ferrum_cli.engines.sglang.refusals import Refusal
from ferrum_cli.engines.sglang.state_shape import StateShape, state_shape
from ferrum_cli.expand import expand
from tests.models import described


def shape(block: Block, tp: int) -> StateShape | Refusal:
    model = expand(
        described(
            hidden_size=1536,
            blocks={"mixer": block},
            spans=(Span((Layer((("mixer",),)),)),),
        )
    )
    return state_shape(model, model.layers[0].placed[0], tp, scattered=False)


def mamba2(heads: int, width: int, groups: int, state: int) -> Mamba2:
    return Mamba2(
        num_heads=heads, head_dim=width, num_groups=groups, state_size=state, conv_kernel=4
    )


GDN = GatedDeltaNet(
    num_key_heads=16, num_value_heads=32, key_head_dim=128, value_head_dim=128, conv_kernel=4
)
KDA = KimiDeltaAttention(num_heads=32, head_dim=128, conv_kernel=4)
NANO = mamba2(64, 64, 8, 128)


# SGLang 0.5.23, configs/mamba_utils.py, computed by its own classes.
@pytest.mark.parametrize(
    ("block", "tp", "conv", "temporal"),
    [
        (GDN, 1, ((8192, 3),), (32, 128, 128)),
        (GDN, 2, ((4096, 3),), (16, 128, 128)),
        # 32 ranks raise 16 key heads to 32: the windows stop halving.
        (GDN, 32, ((384, 3),), (1, 128, 128)),
        (KDA, 4, ((3, 3072),), (8, 128, 128)),
        (NANO, 8, ((768, 3),), (8, 64, 128)),
        (NANO, 16, ((512, 3),), (4, 64, 128)),
        # Eight groups on three ranks become three, though there were more of them.
        (mamba2(24, 64, 8, 128), 3, ((768, 3),), (8, 64, 128)),
        (
            Mamba1(intermediate_size=8192, state_size=16, conv_kernel=4, time_step_rank=256),
            2,
            ((4096, 3),),
            (4096, 1, 16),
        ),
        (ShortConv(conv_kernel=3), 2, ((768, 2),), (1, 1536, 0)),
        (LightningAttention(num_heads=32, head_dim=128), 4, ((0, 0),), (8, 128, 128)),
    ],
)
def test_shapes_are_sglangs(
    block: Block, tp: int, conv: tuple[tuple[int, int], ...], temporal: tuple[int, ...]
) -> None:
    found = shape(block, tp)
    assert isinstance(found, StateShape)
    assert (found.conv, found.temporal) == (conv, temporal)


@pytest.mark.parametrize(
    ("block", "tp", "words"),
    [
        (mamba2(24, 128, 1, 256), 16, "AssertionError: 24 is not divisible by 16"),
        (KDA, 3, "AssertionError: 4096 is not divisible by 3"),
        (ShortConv(conv_kernel=3), 7, "AssertionError: 1536 is not divisible by 7"),
        (
            Mamba1(intermediate_size=8192, state_size=16, conv_kernel=4, time_step_rank=256),
            3,
            (
                "AssertionError: Mamba-1 intermediate_size (8192) must be divisible by"
                " tp_world_size (3)"
            ),
        ),
    ],
)
def test_what_does_not_divide_is_refused(block: Block, tp: int, words: str) -> None:
    found = shape(block, tp)
    assert isinstance(found, Refusal)
    assert found.text == words


@given(
    groups=st.sampled_from([1, 2, 4, 8]),
    heads=st.sampled_from([8, 16, 64]),
    tp=st.sampled_from([1, 2, 4, 8]),
)
def test_ranks_together_hold_the_state_at_least_once(groups: int, heads: int, tp: int) -> None:
    whole, part = (
        shape(mamba2(heads, 64, groups, 128), 1),
        shape(mamba2(heads, 64, groups, 128), tp),
    )
    assert isinstance(whole, StateShape)
    assert isinstance(part, StateShape)
    assert part.temporal_elements * tp == whole.temporal_elements
    assert part.conv_elements * tp >= whole.conv_elements
