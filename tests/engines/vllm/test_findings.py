"""What a user is told about a start: assumptions, options without effect, and costs."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Machine
from ferrum_cli.engines.vllm.costs import padding
from ferrum_cli.expand import Parallel
from ferrum_cli.report import Level
from tests.engines.vllm.asking import (
    CODESTRAL,
    GIB,
    HOPPER,
    KIMI_K3,
    LFM2,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    codes,
    finding,
    started,
)

LONG = POOL | {"max_model_len": 32768}
FP8 = {"kv_cache_dtype": "fp8"}
DRAFTS = {"speculative_config": {"method": "ngram", "num_speculative_tokens": 3}}

SAID: list[tuple[str, str, dict[str, Any], dict[str, Any], str]] = [
    # code, model, options, changes, a part of the message
    ("accelerator-assumed", QWEN3_NEXT, LONG, {"machine": Machine()}, "Hopper"),
    ("max-num-seqs-assumed", QWEN3_NEXT, {}, {}, "max_num_seqs is taken to be 1024"),
    (
        "overhead-unknown",
        LLAMA,
        {},
        {"machine": Machine(80 * GIB, "H100", (9, 0))},
        "upper bound",
    ),
    ("three-limits", QWEN35_27B, LONG, {}, "the log will say 16.06x, but 18 requests of 32768"),
    ("prefix-caching-cost", QWEN35_27B, LONG, {}, "blocks of 832 tokens instead of 784"),
    ("speculation-cost", QWEN35_27B, LONG | DRAFTS, {}, "3 draft tokens"),
    ("short-prefixes-miss", QWEN35_27B, LONG, {}, "shorter than 832 tokens"),
    ("smallest-request", QWEN35_27B, LONG, {}, "holds 4 blocks"),
    (
        "recoverssm-records",
        KIMI_K3,
        LONG | DRAFTS | {"use_replayssm": True},
        {"parallel": Parallel(8)},
        "beside the pool for 64 requests",
    ),
    (
        "quantized-kv-saves-little",
        NEMOTRON3_NANO,
        LONG | FP8,
        {"context": 1000},
        "it pays at",
    ),
    ("mamba-cache-mode-inert", QWEN3_NEXT, LONG | {"mamba_cache_mode": "all"}, {}, "no effect"),
    (
        "mamba-cache-mode-overridden",
        QWEN3_NEXT,
        LONG | {"mamba_cache_mode": "none"},
        {"version": "0.32.0"},
        "none becomes align",
    ),
    ("mamba-block-size-ignored", QWEN3_NEXT, LONG | {"mamba_block_size": 48}, {}, "576 tokens"),
    (
        "override-exceeds-memory",
        QWEN3_NEXT,
        LONG | {"num_gpu_blocks_override": 100_000},
        {},
        "runs out of memory",
    ),
    (
        "option-not-modelled",
        QWEN3_NEXT,
        LONG | {"kv_cache_dtype_skip_layers": ["0"]},
        {},
        "kv_cache_dtype_skip_layers",
    ),
]


@pytest.mark.parametrize(("code", "model", "options", "changes", "words"), SAID)
def test_a_finding_says_what_it_is_about_and_what_to_do(
    code: str, model: str, options: dict[str, Any], changes: dict[str, Any], words: str
) -> None:
    found = finding(answered(model, options, **({"machine": HOPPER} | changes)), code)
    assert found is not None
    assert words in found.message
    assert found.hint


SILENT: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("accelerator-assumed", QWEN3_NEXT, LONG, {}),
    ("max-num-seqs-assumed", QWEN3_NEXT, LONG, {}),
    ("overhead-unknown", QWEN3_NEXT, LONG, {}),
    ("overhead-unknown", LLAMA, {}, {"machine": Machine(80 * GIB, "H100", (9, 0), GIB)}),
    ("prefix-caching-cost", QWEN35_27B, LONG | {"enable_prefix_caching": False}, {}),
    ("prefix-caching-cost", LLAMA, LONG, {}),
    ("speculation-cost", QWEN35_27B, LONG, {}),
    ("smallest-request", LLAMA, LONG, {}),
    ("quantized-kv-saves-little", QWEN35_27B, LONG | FP8, {"context": 32768}),
    ("mamba-cache-mode-inert", LLAMA, LONG | {"mamba_cache_mode": "align"}, {}),
    (
        "mamba-block-size-ignored",
        CODESTRAL,
        {"mamba_block_size": 64} | POOL | {"enable_prefix_caching": True},
        {},
    ),
    ("override-exceeds-memory", QWEN3_NEXT, LONG | {"num_gpu_blocks_override": 10}, {}),
]


@pytest.mark.parametrize(("code", "model", "options", "changes"), SILENT)
def test_a_finding_is_not_said_where_it_does_not_hold(
    code: str, model: str, options: dict[str, Any], changes: dict[str, Any]
) -> None:
    assert code not in codes(answered(model, options, **({"machine": HOPPER} | changes)))


def test_padding_is_measured_as_shares_of_what_a_request_holds() -> None:
    """LFM2 pads states of 8,192 bytes to 32,768, and groups of 22 layers to 24."""
    shares = padding(started(LFM2, LONG, context=16, machine=HOPPER))
    # Three groups of 8 and one of 8: 22 layers of state, 8 of tokens, one block each.
    assert shares.pages == pytest.approx(22 * (32768 - 8192) / (4 * 8 * 32768))
    assert shares.groups == pytest.approx(2 / 32)


def test_much_padding_is_a_warning_and_little_is_not_said() -> None:
    much = finding(answered(LFM2, LONG, context=16, machine=HOPPER), "page-padding")
    assert much is not None
    assert much.level is Level.WARNING
    assert "page-padding" not in codes(answered(QWEN3_NEXT, LONG, machine=HOPPER))


def test_the_length_from_which_fp8_pays_is_the_one_that_is_said() -> None:
    options = POOL | FP8 | {"max_model_len": 262144}
    found = finding(
        answered(NEMOTRON3_NANO, options, context=1000, machine=HOPPER),
        "quantized-kv-saves-little",
    )
    assert found is not None
    paying = int(found.message.split("it pays at ")[1].split()[0])
    held = {
        dtype: answered(
            NEMOTRON3_NANO,
            POOL | {"max_model_len": 262144, "kv_cache_dtype": dtype},
            context=paying,
            machine=HOPPER,
        )
        for dtype in ("fp8", "bfloat16")
    }
    sizes = {
        dtype: sum(line.size_bytes for line in answer.memory if line.budgeted)
        for dtype, answer in held.items()
    }
    assert sizes["fp8"] < 0.95 * sizes["bfloat16"]


def test_codes_are_words_joined_by_dashes_and_levels_fit_refusals() -> None:
    answer = answered(QWEN35_27B, POOL | {"max_num_seqs": 5000}, machine=Machine())
    for found in answer.findings:
        assert found.code == found.code.lower()
        assert " " not in found.code
        assert found.message
    errors = [found for found in answer.findings if found.level is Level.ERROR]
    assert [found.message for found in errors] == [answer.refusal]
