"""Why vLLM would not start, in its own words; sources are the files that `refusals` names."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    CODESTRAL,
    FALCON_MAMBA,
    HOPPER,
    JAMBA,
    KIMI_K3,
    KIMI_LINEAR,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
)

NGRAM = {"speculative_config": {"method": "ngram", "num_speculative_tokens": 3}}
REPLAY = {"use_replayssm": True}
V1 = {"VLLM_USE_V2_MODEL_RUNNER": False}

REFUSED: list[tuple[str, str, dict[str, Any], dict[str, Any], str]] = [
    # code, model, options, other changes, words
    (
        "max-model-len-beyond-model",
        LLAMA,
        {"max_model_len": 200000},
        {},
        "User-specified max_model_len (200000) is greater than the derived max_model_len",
    ),
    (
        "attention-heads-indivisible",
        QWEN3_NEXT,
        {},
        {"parallel": Parallel(3)},
        "Total number of attention heads (16) must be divisible by tensor parallel size (3).",
    ),
    (
        "mamba2-groups-indivisible",
        "nvidia__NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16",
        {},
        {"parallel": Parallel(16)},
        "If tensor parallel world size does not divide num_groups, then num_groups must equal 1.",
    ),
    (
        "dcp-indivisible",
        QWEN3_NEXT,
        {"decode_context_parallel_size": 3},
        {"parallel": Parallel(4)},
        "tp_size=4 must be divisible by dcp_size=3.",
    ),
    (
        "dcp-kv-heads",
        QWEN3_NEXT,
        {"decode_context_parallel_size": 2},
        {"parallel": Parallel(2)},
        "to be greater than the model's total number of KV heads (2)",
    ),
    (
        "dcp-kv-heads",
        QWEN3_NEXT,
        {"decode_context_parallel_size": 8},
        {"parallel": Parallel(8)},
        "exceeds the maximum supported value (4)",
    ),
    (
        "batched-tokens-below-seqs",
        QWEN3_NEXT,
        {"max_num_batched_tokens": 32},
        {},
        "max_num_batched_tokens (32) must be greater than or equal to max_num_seqs (64).",
    ),
    (
        "active-seqs-above-seqs",
        QWEN3_NEXT,
        {"max_num_active_seqs": 65},
        {},
        "max_num_active_seqs (65) cannot be greater than max_num_seqs (64).",
    ),
    (
        "mamba-block-size-unused",
        QWEN3_NEXT,
        {"mamba_block_size": 512, "enable_prefix_caching": False},
        {},
        "--mamba-block-size can only be set with --enable-prefix-caching",
    ),
    (
        "chunked-prefill-required",
        QWEN3_NEXT,
        {"enable_chunked_prefill": False},
        {},
        "Chunked prefill is required for Mamba prefix caching.",
    ),
    (
        "chunked-prefill-required",
        QWEN3_NEXT,
        {"enable_chunked_prefill": False},
        {"version": "0.32.0"},
        "Chunked prefill is required for mamba cache mode 'align'.",
    ),
    (
        "hybrid-manager-disabled",
        JAMBA,
        {"disable_hybrid_kv_cache_manager": True},
        {},
        "Failed to promote local KV cache specs to one unified type.",
    ),
    (
        "hybrid-manager-disabled",
        JAMBA,
        {"disable_hybrid_kv_cache_manager": True},
        {"version": "0.20.2"},
        "Hybrid KV cache manager is disabled but failed to convert the KV cache specs",
    ),
    (
        "kv-cache-dtype-differs",
        QWEN35_27B,
        {"kv_cache_dtype": "float16"},
        {},
        'kv_cache_dtype="float16" is incompatible with dtype="bfloat16".',
    ),
    (
        "kda-state-dtype",
        KIMI_K3,
        {"mamba_ssm_cache_dtype": "float16"},
        {"parallel": Parallel(8)},
        "KDA recurrent state supports only auto, float32, and bfloat16; got float16",
    ),
    (
        "prefix-match-unit",
        QWEN3_NEXT,
        {"prefix_match_unit": 100},
        {},
        "Invalid prefix_match_unit=100; prefix-cacheable KV cache group block sizes must be",
    ),
    (
        "prefix-match-unit",
        CODESTRAL,
        {"prefix_match_unit": 8, "enable_prefix_caching": True},
        {},
        "with a single KV cache group, prefix-cache hits land on the block size (16).",
    ),
    (
        "speculation-incomplete",
        QWEN3_NEXT,
        {"speculative_config": {"method": "eagle3", "num_speculative_tokens": 2}},
        {},
        "num_speculative_tokens was provided but without speculative model.",
    ),
    (
        "speculation-method-gone",
        QWEN3_NEXT,
        {"speculative_config": {"method": "medusa", "model": "m", "num_speculative_tokens": 2}},
        {},
        "'medusa'",
    ),
    (
        "speculation-with-state",
        JAMBA,
        NGRAM,
        {"version": "0.13.0"},
        "Mamba with speculative decoding is not supported yet.",
    ),
    (
        "batched-tokens-below-drafts",
        QWEN3_NEXT,
        {
            "max_num_seqs": 1,
            "max_num_batched_tokens": 2,
            "speculative_config": {"method": "mtp", "num_speculative_tokens": 2},
        },
        {},
        "Got max_num_batched_tokens=2 and num_lookahead_tokens=2.",
    ),
    (
        "replayssm",
        QWEN3_NEXT,
        REPLAY,
        {},
        "--use-replayssm is not supported for architecture 'Qwen3NextForCausalLM'",
    ),
    (
        "replayssm",
        KIMI_K3,
        REPLAY | NGRAM | V1,
        {"parallel": Parallel(8)},
        "RecoverSSM with prefix caching requires VLLM_USE_V2_MODEL_RUNNER=1",
    ),
    (
        "replayssm",
        KIMI_K3,
        REPLAY | NGRAM | V1,
        {"parallel": Parallel(8), "version": "0.32.0"},
        "RecoverSSM with align mode requires VLLM_USE_V2_MODEL_RUNNER=1",
    ),
    (
        "replayssm",
        KIMI_K3,
        REPLAY | NGRAM,
        {"parallel": Parallel(8, 2)},
        "RecoverSSM currently requires pipeline_parallel_size=1",
    ),
    (
        "replayssm",
        NEMOTRON3_NANO,
        REPLAY,
        {},
        "Triton ReplaySSM requires Model Runner V1; use --mamba-backend flashinfer or Model Runner",
    ),
    (
        "replayssm",
        NEMOTRON3_NANO,
        REPLAY | NGRAM | {"enable_prefix_caching": False},
        {},
        "Mamba2 ReplaySSM speculative decoding requires --mamba-backend flashinfer",
    ),
    (
        "replayssm",
        NEMOTRON3_NANO,
        REPLAY | {"mamba_backend": "flashinfer", "replayssm_buffer_len": 32},
        {},
        "FlashInfer ReplaySSM requires --replayssm-buffer-len <= 16",
    ),
    (
        "max-num-seqs-exceeds-blocks",
        QWEN35_27B,
        {"max_num_seqs": 1024},
        {},
        "max_num_seqs (1024) exceeds available Mamba cache blocks (787).",
    ),
]


@pytest.mark.parametrize(("code", "model", "options", "changes", "words"), REFUSED)
def test_a_refusal_is_predicted_in_vllms_words_with_a_way_out(
    code: str, model: str, options: dict[str, Any], changes: dict[str, Any], words: str
) -> None:
    answer = answered(model, POOL | options, **({"machine": HOPPER} | changes))
    assert answer.refusal is not None
    assert words in answer.refusal
    error = answer.findings[0]
    assert (error.level.value, error.code) == ("error", code)
    assert error.hint


ACCEPTED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (LLAMA, {"max_model_len": 200000, "VLLM_ALLOW_LONG_MAX_MODEL_LEN": True}, {}),
    (QWEN3_NEXT, {"decode_context_parallel_size": 4}, {"parallel": Parallel(8)}),
    (KIMI_LINEAR, {"decode_context_parallel_size": 2}, {"parallel": Parallel(2)}),
    (QWEN3_NEXT, {"mamba_block_size": 512}, {}),
    (QWEN3_NEXT, {"enable_chunked_prefill": False, "enable_prefix_caching": False}, {}),
    (LLAMA, {"disable_hybrid_kv_cache_manager": True}, {}),
    (FALCON_MAMBA, {"disable_hybrid_kv_cache_manager": True}, {}),
    (QWEN35_27B, {"kv_cache_dtype": "bfloat16"}, {}),
    (QWEN35_27B, {"kv_cache_dtype": "float16"}, {"version": "0.32.0"}),
    (KIMI_K3, {"mamba_ssm_cache_dtype": "bfloat16"}, {"parallel": Parallel(8)}),
    (QWEN3_NEXT, {"prefix_match_unit": 64}, {}),
    (QWEN3_NEXT, {"prefix_match_unit": 100, "enable_prefix_caching": False}, {}),
    (QWEN3_NEXT, NGRAM, {"version": "0.13.0"}),
    (KIMI_K3, REPLAY | NGRAM, {"parallel": Parallel(8)}),
    (NEMOTRON3_NANO, REPLAY | V1, {}),
    (NEMOTRON3_NANO, REPLAY | {"mamba_backend": "flashinfer", "enable_prefix_caching": False}, {}),
    (QWEN35_27B, {"max_num_seqs": 1024, "enforce_eager": True}, {}),
    (QWEN35_27B, {"max_num_seqs": 1024, "compilation_config": {"cudagraph_mode": "NONE"}}, {}),
    (QWEN35_27B, {"max_num_seqs": 1024}, {"version": "0.17.1"}),
]


@pytest.mark.parametrize(("model", "options", "changes"), ACCEPTED)
def test_what_vllm_accepts_is_not_refused(
    model: str, options: dict[str, Any], changes: dict[str, Any]
) -> None:
    answer = answered(model, POOL | options, **({"machine": HOPPER} | changes))
    assert answer.refusal is None
    assert answer.layout["num_gpu_blocks"] > 0


def test_a_refusal_keeps_the_layout_as_far_as_vllm_gets() -> None:
    late = answered(QWEN35_27B, POOL | {"max_num_seqs": 1024}, machine=HOPPER)
    assert late.layout["num_gpu_blocks"] == 787
    assert late.layout["max_num_seqs_limit"] == 787
    early = answered(QWEN3_NEXT, POOL, parallel=Parallel(3), machine=HOPPER)
    assert early.layout["block_size"] is None
    assert early.layout["recurrent_tensors_per_layer"] == []
    assert early.layout["pool_bytes_per_block_per_rank"] == []
