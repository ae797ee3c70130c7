"""Parts of every kind as tensors: rows of a window, order of axes, dtypes, names."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.blocks import block_class, kinds
from ferrum_cli.blocks.custom import Custom, CustomMatrix, CustomWindow
from ferrum_cli.dtype import DType
from ferrum_cli.engines.transformers.layout import KINDS
from tests.engines.transformers.asking import asked, built_from

BF16, FP32 = DType.BF16, DType.FP32

# Sizes as small models had them that were run with transformers 5.24.0 in bfloat16; the names are
# those of the cache (conv_states and recurrent_states of LinearAttentionLayer, or the model's own).
SHAPES: list[tuple[str, dict[str, Any], list[tuple[str, tuple[int, ...], DType]]]] = [
    (
        "mamba1",
        {"intermediate_size": 64, "state_size": 8, "conv_kernel": 4, "time_step_rank": 2},
        [("conv_state", (64, 4), BF16), ("recurrent_state", (64, 8), FP32)],
    ),
    (
        "mamba2",
        {"num_heads": 8, "head_dim": 16, "num_groups": 2, "state_size": 16, "conv_kernel": 4},
        [("conv_state", (192, 4), BF16), ("recurrent_state", (8, 16, 16), FP32)],
    ),
    (
        "gated_delta_net",  # olmo_hybrid: key and value widths differ
        {
            "num_key_heads": 4,
            "num_value_heads": 4,
            "key_head_dim": 12,
            "value_head_dim": 24,
            "conv_kernel": 4,
        },
        [("conv_state", (192, 4), BF16), ("recurrent_state", (4, 12, 24), FP32)],
    ),
    (
        "kimi_delta_attention",
        {"num_heads": 4, "head_dim": 16, "conv_kernel": 4},
        [("conv_state", (192, 4), BF16), ("recurrent_state", (4, 16, 16), FP32)],
    ),
    (
        "lightning_attention",
        {"num_heads": 4, "head_dim": 16},
        [("recurrent_state", (4, 16, 16), BF16)],
    ),
    ("short_conv", {"conv_kernel": 3}, [("conv_state", (64, 3), BF16)]),
    (
        "rg_lru",
        {"num_heads": 4, "head_dim": 16, "conv_kernel": 4},
        [("conv_state", (64, 3), BF16), ("recurrent_state", (64,), FP32)],
    ),
    (
        "compressed_convolutional_attention",
        {
            "num_heads": 4,
            "num_kv_heads": 2,
            "head_dim": 16,
            "depthwise_kernel": 2,
            "grouped_kernel": 2,
        },
        [("conv_state", (96, 2), BF16), ("recurrent_state", (16,), BF16)],
    ),
    (
        "mlstm",
        {"num_heads": 4, "qk_head_dim": 16, "v_head_dim": 32},
        [("c_state", (4, 16, 32), BF16), ("n_state", (4, 16), BF16), ("m_state", (4, 1), BF16)],
    ),
    (
        "rwkv4",
        {},
        [
            ("att_shift", (64,), BF16),
            ("att_num", (64,), FP32),
            ("att_den", (64,), FP32),
            ("att_max", (64,), FP32),
        ],
    ),
    ("rwkv_channel_mix", {"intermediate_size": 256}, [("ffn_shift", (64,), BF16)]),
    (
        "stream_convolution",
        {"num_kv_heads": 2, "head_dim": 16, "conv_kernel": 4},
        [
            ("conv_state_0", (32, 4), FP32),
            ("conv_state_1", (32, 4), FP32),
            ("conv_state_2", (64, 4), FP32),
            ("conv_state_3", (64, 4), FP32),
        ],
    ),
    (
        "ngram_context",
        {
            "ngram_size": 3,
            "heads_per_ngram": 2,
            "head_dim": 16,
            "ngram_vocab_size": 512,
            "conv_kernel": 4,
            "hc_count": 2,
        },
        [("conv_state_1", (128, 9), BF16), ("conv_state_2", (2,), DType.INT64)],
    ),
]


@pytest.mark.parametrize(("kind", "sizes", "wanted"), SHAPES, ids=[row[0] for row in SHAPES])
def test_every_kind_has_the_shapes_dtypes_and_names_of_the_cache(
    kind: str, sizes: dict[str, Any], wanted: list[tuple[str, tuple[int, ...], DType]]
) -> None:
    answer = asked(built_from(mixer=block_class(kind)(**sizes)))
    assert [(t.name, t.shape, t.dtype) for t in answer.state] == wanted


def test_the_table_of_departures_names_kinds_that_exist_and_are_measured() -> None:
    assert set(KINDS) <= set(kinds())
    assert set(KINDS) <= {row[0] for row in SHAPES}


def test_an_unknown_architecture_follows_the_general_rules() -> None:
    custom = Custom(
        windows=(CustomWindow(name="conv", units=8, kernel=4),),
        matrices=(CustomMatrix(name="state", num_heads=2, value_dim=3, key_dim=5),),
    )
    answer = asked(built_from(mixer=custom))
    assert [(t.shape, t.dtype) for t in answer.state] == [((8, 4), BF16), ((2, 3, 5), FP32)]


@pytest.mark.parametrize("batch", [1, 3, 64])
def test_the_layout_is_of_the_whole_batch_and_the_state_of_one_sequence(batch: int) -> None:
    model = built_from(mixer=block_class("short_conv")(conv_kernel=3))
    answer = asked(model, batch_size=batch)
    (tensor,) = answer.layout["state_tensors"]
    assert tensor == {
        "layer_index": 0,
        "name": "conv_state",
        "shape": [batch, 64, 3],
        "dtype": "bfloat16",
        "bytes": batch * 64 * 3 * 2,
    }
    assert answer.layout["state_bytes"] == batch * answer.bytes_per_slot
    assert answer.state[0].shape == (64, 3)


def test_a_models_mixer_is_numbered_where_layers_hold_several_states() -> None:
    delta = block_class("gated_delta_net")(
        num_key_heads=2, num_value_heads=4, key_head_dim=16, value_head_dim=16, conv_kernel=4
    )
    ngrams = block_class("ngram_context")(**dict(SHAPES[-1][1]))
    answer = asked(built_from("delta+ngrams", "delta", delta=delta, ngrams=ngrams))
    names = [(t.layer_index, t.name) for t in answer.state]
    assert names == [
        (0, "conv_state_0"),
        (0, "recurrent_state_0"),
        (0, "conv_state_1"),
        (0, "conv_state_2"),
        (1, "conv_state_0"),
        (1, "recurrent_state_0"),
    ]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("mamba2", "recurrent state float32"),
        ("mlstm", "mlstm in the model's dtype"),
        ("stream_convolution", "stream_convolution in float32"),
    ],
)
def test_the_source_of_the_dtype_names_what_departs(kind: str, words: str) -> None:
    sizes = next(row[1] for row in SHAPES if row[0] == kind)
    assert asked(built_from(mixer=block_class(kind)(**sizes))).dtype_source.endswith(words)
