"""Parts become tensors and bytes by the contract's rules."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import (
    Axis,
    Context,
    Indexer,
    KeyValue,
    Latent,
    Matrix,
    Part,
    Role,
    Split,
    Vector,
    Window,
)
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.describe.description import Layer, Span
from ferrum_cli.dtype import DType
from ferrum_cli.engines.native.layout import (
    cache_bytes,
    dtype_of_role,
    shape_on_rank,
    state_tensors,
    token_bytes,
)
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand import expand
from tests.models import described, qwen3_next, with_mamba2

KEYS, VALUES = Axis(16, 128, Split.GROUPS), Axis(32, 128)
CONV = Window("conv_state", (KEYS, KEYS, VALUES), 4)
SHAPES: list[tuple[Part, int, tuple[int, ...]]] = [
    (CONV, 1, (8192, 3)),  # types.md: [2·key_heads·key_dim + value_heads·value_dim, kernel − 1]
    (CONV, 32, (384, 3)),  # sixteen key heads raised to 32
    (Matrix("delta_state", Axis(32), 128, 64), 4, (8, 128, 64)),  # [heads, value_dim, key_dim]
    (Matrix("ssm_state", Axis(8192), 1, 16), 2, (4096, 16)),  # Mamba-1 has no value dimension
    (Vector("lru", Axis(2560)), 2, (1280,)),
    (Vector("n", Axis(8, 256), flat=False), 2, (4, 256)),
    (Context("ngram", 2), 8, (2,)),
]


@pytest.mark.parametrize(("part", "tp", "shape"), SHAPES)
def test_a_part_has_the_contracts_shape_on_a_rank(
    part: Part, tp: int, shape: tuple[int, ...]
) -> None:
    assert shape_on_rank(part, tp) == shape


@pytest.mark.parametrize(
    ("role", "dtype"),
    [
        (Role.CONV, DType.FP16),
        (Role.SHIFT, DType.FP16),
        (Role.RECURRENT, DType.FP32),
        (Role.CONTEXT, DType.INT64),
    ],
)
def test_dtypes_follow_the_role(role: Role, dtype: DType) -> None:
    assert dtype_of_role(role, DType.FP16) is dtype


# Bytes per slot of Qwen3-Next: issue figures and SGLang 0.5.23 (bf16 conv, fp32 state): tp1, 2, 8
@pytest.mark.parametrize(
    ("tp", "expected"), [(1, 77_266_944), (2, 38_633_472), (8, 9_658_368), (32, 2_442_240)]
)
def test_qwen3_next_keeps_the_recorded_bytes_on_a_rank(tp: int, expected: int) -> None:
    tensors = state_tensors(expand(qwen3_next()).layers, tp, DType.BF16)
    assert sum(tensor.size_bytes for tensor in tensors) == expected
    assert len(tensors) == 72


def test_mamba2_groups_that_do_not_divide_are_raised_to_the_ranks() -> None:
    def channels(groups: int, tp: int) -> int:
        (conv, _) = state_tensors(expand(with_mamba2(groups)).layers, tp, DType.BF16)
        return conv.shape[0]

    assert channels(1, 1) == 128 + 2 * 32
    assert channels(1, 4) == 32 + 2 * 32
    assert channels(2, 4) == 32 + 2 * 32
    assert channels(4, 2) == 64 + 2 * 2 * 32


def test_recurrent_heads_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ShardingError, match="32 heads"):
        state_tensors(expand(qwen3_next()).layers, 3, DType.BF16)


@pytest.mark.parametrize(
    ("cache", "tp", "expected"),
    [
        (KeyValue(2, 256, 256), 1, 2 * 512 * 2),
        (KeyValue(2, 256, 256), 8, 1 * 512 * 2),  # replicated beyond the number of heads
        (KeyValue(8, 192, 128), 2, 4 * 320 * 2),
        (Latent(512, 64), 8, 576 * 2),  # never split
        (Indexer(128, 3), 8, 128 * 2 + 3 * 8),
    ],
)
def test_a_token_costs_each_rank_its_share_of_the_cache(
    cache: KeyValue | Latent | Indexer, tp: int, expected: int
) -> None:
    assert token_bytes(cache, tp, DType.BF16) == expected


def test_windows_stop_growing_when_they_are_full() -> None:
    blocks = {
        "full": Attention(num_heads=4, num_kv_heads=2, head_dim=16),
        "local": Attention(num_heads=4, num_kv_heads=2, head_dim=16, window=100),
    }
    spans = (Span((Layer((("full",),)), Layer((("local",),)))),)
    layers = expand(described(blocks=blocks, spans=spans)).layers
    token = 2 * 2 * 16 * 2
    short, long = (cache_bytes(layers, 1, DType.BF16, n) for n in (10, 1000))
    assert (short.bytes_per_token, short.window_bytes) == (token, 100 * token)
    assert short.bytes_at_context == 2 * 10 * token
    assert long.bytes_at_context == (1000 + 100) * token
