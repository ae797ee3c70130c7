"""Tensors of one layer's state (layers/mamba/mamba_utils.py, MambaStateShapeCalculator)."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    CODESTRAL,
    FALCON_MAMBA,
    HOPPER,
    JAMBA,
    KIMI_LINEAR,
    LFM2,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    answered,
)

DRAFTS = {"speculative_config": {"method": "ngram", "num_speculative_tokens": 3}}
GRANITE_SMALL = "ibm-granite__granite-4.0-h-small"
LONG = {"VLLM_ALLOW_LONG_MAX_MODEL_LEN": True}


def shapes(model: str, tp: int = 1, version: str = "0.33.0", **options: Any) -> list[list[int]]:
    answer = answered(
        model, POOL | LONG | options, parallel=Parallel(tp), version=version, machine=HOPPER
    )
    return [tensor["shape"] for tensor in answer.layout["recurrent_tensors_per_layer"]]


@pytest.mark.parametrize(
    ("model", "tp", "expected"),
    [
        (QWEN3_NEXT, 1, [[3, 8192], [32, 128, 128]]),
        (QWEN3_NEXT, 4, [[3, 2048], [8, 128, 128]]),
        (NEMOTRON3_NANO, 1, [[3, 6144], [64, 64, 128]]),
        # Groups that do not divide are raised to tp: 1,280 channels, not 8,448 / 8.
        (GRANITE_SMALL, 1, [[3, 8448], [128, 64, 128]]),
        (GRANITE_SMALL, 8, [[3, 1280], [16, 64, 128]]),
        (FALCON_MAMBA, 2, [[3, 4096], [4096, 16]]),
        (JAMBA, 1, [[3, 8192], [8192, 16]]),
        (KIMI_LINEAR, 1, [[3, 12288], [32, 128, 128]]),
        (LFM2, 2, [[2, 1024]]),
        ("inclusionAI__Ling-3.0-tiny", 2, [[3, 3072], [8, 128, 128]]),
    ],
)
def test_shapes_on_one_rank(model: str, tp: int, expected: list[list[int]]) -> None:
    assert shapes(model, tp) == expected


@pytest.mark.parametrize(
    ("model", "rows"),
    [(QWEN3_NEXT, 6), (NEMOTRON3_NANO, 6), (KIMI_LINEAR, 6), (LFM2, 5), (JAMBA, 3)],
)
def test_drafts_widen_every_window_but_mamba_1s(model: str, rows: int) -> None:
    assert shapes(model, **DRAFTS)[0][0] == rows


@pytest.mark.parametrize(
    ("model", "version", "rows"),
    [
        (KIMI_LINEAR, "0.26.0", 3),
        (KIMI_LINEAR, "0.28.0", 6),
        (LFM2, "0.28.0", 2),
        (LFM2, "0.30.0", 5),
    ],
)
def test_since_when_drafts_widen_a_window(model: str, version: str, rows: int) -> None:
    assert shapes(model, version=version, **DRAFTS)[0][0] == rows


def test_kdas_windows_were_three_tensors_until_0_20() -> None:
    apart = shapes(KIMI_LINEAR, version="0.20.2")
    assert apart == [[3, 4096], [3, 4096], [3, 4096], [32, 128, 128]]
    assert shapes(KIMI_LINEAR, version="0.23.0") == [[3, 12288], [32, 128, 128]]


def test_the_environment_puts_channels_first() -> None:
    assert shapes(QWEN3_NEXT, VLLM_SSM_CONV_STATE_LAYOUT="DS")[0] == [8192, 3]


def test_replayssm_adds_rings_and_takes_no_states_for_drafts() -> None:
    """Nemotron-3-Nano with FlashInfer: rows of the ring are 16 + 1 + 3."""
    options = DRAFTS | {
        "use_replayssm": True,
        "mamba_backend": "flashinfer",
        "enable_prefix_caching": False,
    }
    answer = answered(NEMOTRON3_NANO, POOL | options, machine=HOPPER)
    found = answer.layout["recurrent_tensors_per_layer"]
    assert [tensor["shape"] for tensor in found[2:]] == [[64, 20, 64], [64, 20], [8, 20, 128]]
    assert [tensor["dtype"] for tensor in found[2:]] == ["bfloat16", "float32", "bfloat16"]
    state = next(g for g in answer.layout["kv_cache_groups"] if g["kind"] == "mamba")
    assert state["blocks_per_request"] == 1


def test_the_answers_tensors_are_those_of_every_layer_of_the_first_rank() -> None:
    answer = answered(QWEN3_NEXT, POOL, parallel=Parallel(2, 2), machine=HOPPER)
    assert len(answer.state) == 2 * 18
    assert answer.bytes_per_slot == 18 * answer.layout["state_bytes_per_layer"]
    assert answer.bytes_per_slot == sum(tensor.size_bytes for tensor in answer.state)


def test_a_model_without_attention_has_pages_of_exactly_its_state() -> None:
    layout = answered(CODESTRAL, POOL, machine=HOPPER).layout
    assert layout["state_bytes_per_layer"] == layout["state_page_bytes_per_layer"] == 2158592
