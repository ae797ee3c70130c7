"""The lines a start prints, held against logs that users of vLLM have published."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Machine
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    GIB,
    HOPPER,
    KIMI_K3,
    KIMI_LINEAR,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    lines,
)

BLOCK = "Setting attention block size to {} tokens to ensure that attention page size is >= mamba"
PADDING = "Padding mamba page size by {}% to ensure that mamba page size and attention page size"
TWO_3090 = Machine(24 * GIB, "RTX 3090", (8, 6))

PUBLISHED: list[tuple[str, str, str, dict[str, Any], Parallel, int, float | None]] = [
    # source, model, version, options, ranks, block, padding in percent (None: no such line)
    ("a public repository", QWEN35_27B, "0.19.1", {}, Parallel(), 784, 0.13),
    (
        "a public repository",
        QWEN3_NEXT,
        "0.13.0",
        {"kv_cache_dtype": "fp8", "enable_prefix_caching": False},
        Parallel(2),
        1072,
        None,
    ),
    (
        "a public repository",
        "Qwen__Qwen3.5-35B-A3B",
        "0.20.2",
        {"kv_cache_dtype": "fp8"},
        Parallel(),
        2096,
        None,
    ),
    (
        "a public repository",
        NEMOTRON3_NANO,
        "0.19.1",
        {"kv_cache_dtype": "fp8", "mamba_ssm_cache_dtype": "float32"},
        Parallel(),
        4176,
        0.19,
    ),
    ("vllm#28228", KIMI_LINEAR, "0.11.1", {}, Parallel(2), 960, 1.89),
    (
        "a public repository",
        "ibm-granite__granite-4.0-h-350m",
        "0.11.1",
        {},
        Parallel(),
        400,
        1.39,
    ),
    ("a public repository", "ibm-granite__granite-4.0-h-1b", "0.19.0", {}, Parallel(), 400, 1.59),
    (
        "syv-ai/qwen38-27b-rtx3090#102",
        QWEN35_27B,
        "0.28.0",
        {
            "mamba_ssm_cache_dtype": "bfloat16",
            "speculative_config": {"method": "dflash", "model": "d", "num_speculative_tokens": 15},
        },
        Parallel(),
        480,
        1.27,
    ),
    (
        "syv-ai/qwen38-27b-rtx3090#102",
        QWEN35_27B,
        "0.28.0",
        {
            "mamba_ssm_cache_dtype": "bfloat16",
            "kv_cache_dtype": "int8_per_token_head",
            "speculative_config": {"method": "dflash", "model": "d", "num_speculative_tokens": 7},
        },
        Parallel(),
        864,
        1.09,
    ),
    (
        "noonghunna/club-3090#1170",
        QWEN35_27B,
        "0.23.0",
        {
            "kv_cache_dtype": "fp8",
            "speculative_config": {"method": "ngram", "num_speculative_tokens": 5},
        },
        Parallel(2),
        1616,
        None,
    ),
]


@pytest.mark.parametrize(
    ("source", "model", "version", "options", "parallel", "block", "padding"), PUBLISHED
)
def test_published_logs_say_the_block_and_the_padding_that_are_computed(
    source: str,
    model: str,
    version: str,
    options: dict[str, Any],
    parallel: Parallel,
    block: int,
    padding: float | None,
) -> None:
    found = lines(answered(model, options, version=version, parallel=parallel, machine=TWO_3090))
    assert found["attention_block_size"].startswith(BLOCK.format(block)), source
    if padding is None:
        assert "mamba_page_padding" not in found, source
    else:
        assert found["mamba_page_padding"].startswith(PADDING.format(f"{padding:.2f}")), source


@pytest.mark.parametrize(("kv_cache_dtype", "block"), [("auto", 528), ("fp8", 1056)])
def test_published_blocks_of_qwen3_5_9b(kv_cache_dtype: str, block: int) -> None:
    options = {"kv_cache_dtype": kv_cache_dtype}
    found = answered("Qwen__Qwen3.5-9B", options, version="0.20.2", machine=TWO_3090)
    assert found.layout["block_size"] == block


CAPACITIES: list[tuple[str, str, str, dict[str, Any], Parallel, float, str, str]] = [
    # source, model, version, options, ranks, GiB of the pool, tokens and concurrency as printed
    (
        "a public repository",
        QWEN3_NEXT,
        "0.13.0",
        {"kv_cache_dtype": "fp8", "enable_prefix_caching": False, "max_model_len": 32768},
        Parallel(2),
        17.585,
        "767,552",
        "84.29x",
    ),
    (
        "noonghunna/club-3090#652",
        "Qwen__Qwen3.5-35B-A3B",
        "0.24.0",
        {"kv_cache_dtype": "fp8", "enable_prefix_caching": True, "max_model_len": 131072},
        Parallel(),
        6.01,
        "569,878",
        "4.35x",
    ),
    (
        "vllm#28228",
        KIMI_LINEAR,
        "0.11.1",
        {"max_model_len": 120000, "enable_prefix_caching": True},
        Parallel(2),
        2.295,
        "75,840",
        "2.48x",
    ),
]


@pytest.mark.parametrize(
    ("source", "model", "version", "options", "parallel", "gib", "tokens", "concurrency"),
    CAPACITIES,
)
def test_published_logs_say_the_capacity_that_is_computed(
    source: str,
    model: str,
    version: str,
    options: dict[str, Any],
    parallel: Parallel,
    gib: float,
    tokens: str,
    concurrency: str,
) -> None:
    pool = {"kv_cache_memory_bytes": [int(gib * GIB)], "max_num_seqs": 1}
    found = lines(
        answered(model, options | pool, version=version, parallel=parallel, machine=TWO_3090)
    )
    assert f"GPU KV cache size: {tokens} tokens" in found["kv_cache_size"], source
    assert found["max_concurrency"].endswith(concurrency), source


def test_from_0_28_on_tokens_and_concurrency_stand_in_one_line() -> None:
    found = lines(answered(QWEN35_27B, POOL | {"max_model_len": 32768}, machine=HOPPER))
    assert found["kv_cache_size"] == (
        "GPU KV cache size: 526,294 tokens, Maximum concurrency for 32,768 tokens per request:"
        " 16.06x"
    )
    assert "max_concurrency" not in found


def test_the_start_of_a_gated_delta_net_model_is_told_in_vllms_order() -> None:
    answer = answered(QWEN35_27B, POOL | {"max_model_len": 32768}, machine=HOPPER)
    assert [line.key for line in answer.log_lines] == [
        "max_model_len",
        "mamba_cache_mode",
        "attention_block_size",
        "mamba_page_padding",
        "gdn_prefill",
        "kv_cache_layout",
        "kv_cache_size",
        "group_block_sizes",
        "common_block_size",
    ]
    assert lines(answer)["gdn_prefill"] == (
        "Using FlashInfer GDN prefill kernel (requested=auto, head_k_dim=128)."
    )
    assert lines(answer)["group_block_sizes"] == "kv cache group sizes (832, 832, 832, 832)"


def test_memory_that_is_measured_is_said_only_where_vllm_measures_it() -> None:
    measured = Machine(80 * GIB, "a Hopper", (9, 0), 2 * GIB)
    by_share = answered(QWEN35_27B, {"max_num_seqs": 8}, machine=measured)
    assert lines(by_share)["available_memory"] == "Available KV cache memory: 71.6 GiB"
    assert "available_memory" not in lines(answered(QWEN35_27B, POOL, machine=HOPPER))


def test_padding_layers_are_warned_of_with_their_share() -> None:
    options = POOL | {"speculative_config": {"method": "mtp", "num_speculative_tokens": 1}}
    found = lines(answered(QWEN35_27B, options, machine=HOPPER))
    assert found["padding_layers"] == (
        "Add 3 padding layers, may waste at most 6.25% KV cache memory"
    )


def test_an_automatic_length_says_what_it_was_reduced_to() -> None:
    pool = {"kv_cache_memory_bytes": [12 * GIB], "max_num_seqs": 8, "max_model_len": "auto"}
    answer = answered(QWEN35_27B, pool, machine=HOPPER)
    assert answer.refusal is None
    assert lines(answer)["auto_length_reduced"] == (
        "Auto-fit max_model_len: reduced from 262144 to 188032 to fit in available KV cache memory"
        " (12.0 GiB)"
    )


def test_an_override_says_which_number_it_replaces() -> None:
    answer = answered(QWEN35_27B, POOL | {"num_gpu_blocks_override": 500}, machine=HOPPER)
    assert lines(answer)["num_gpu_blocks_override"] == (
        "Overriding num_gpu_blocks=787 with num_gpu_blocks_override=500"
    )


def test_recoverssm_tells_what_its_records_take() -> None:
    options = {
        "use_replayssm": True,
        "speculative_config": {"method": "ngram", "num_speculative_tokens": 3},
        "max_num_seqs": 256,
        "kv_cache_memory_bytes": [40 * GIB],
    }
    found = lines(answered(KIMI_K3, options, parallel=Parallel(8), machine=HOPPER))
    # Printed by vLLM 0.33.0 for Kimi-K3 at tp 8.
    assert found["recoverssm_records"] == (
        "Allocated the KDA RecoverSSM verify records: 0.81 GiB in total for 256 requests"
        " (3.23 MiB per request)."
    )
    assert found["kda_prefill"] == "Using FlashKDA KDA prefill backend."


def test_an_asked_mode_is_overridden_or_deprecated_as_the_version_says() -> None:
    options = POOL | {"mamba_cache_mode": "align", "enable_prefix_caching": False}
    before = lines(answered(QWEN35_27B, options, version="0.32.0", machine=HOPPER))
    after = lines(answered(QWEN35_27B, options, version="0.33.0", machine=HOPPER))
    assert before["mamba_cache_mode_off"] == (
        "Mamba cache mode is set to 'none' when prefix caching is disabled"
    )
    assert after["mamba_cache_mode_inert"].startswith("--mamba-cache-mode is deprecated")
    assert "mamba_cache_mode_off" not in after


def test_a_model_without_state_says_nothing_of_state() -> None:
    found = lines(answered(LLAMA, POOL | {"max_model_len": 8192}, machine=HOPPER))
    assert not {"mamba_cache_mode", "attention_block_size", "mamba_page_padding"} & set(found)
    assert "kv_cache_size" in found
