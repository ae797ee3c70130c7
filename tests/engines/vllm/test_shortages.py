"""Why vLLM would exit once it sizes its cache, in its own words."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Machine
from tests.engines.vllm.asking import GIB, HOPPER, POOL, QWEN3_NEXT, QWEN35_27B, answered

NGRAM = {"speculative_config": {"method": "ngram", "num_speculative_tokens": 3}}


@pytest.mark.parametrize("blocks", [1, 786, 787])
def test_as_many_sequences_as_blocks_are_taken(blocks: int) -> None:
    assert answered(QWEN35_27B, POOL | {"max_num_seqs": blocks}, machine=HOPPER).refusal is None


def test_too_little_memory_for_one_request_names_the_longest_that_fits() -> None:
    options = {"kv_cache_memory_bytes": [12 * GIB], "max_num_seqs": 8}
    answer = answered(QWEN35_27B, options, machine=HOPPER)
    # Printed by vLLM 0.33.0 for this pool.
    assert answer.refusal == (
        "To serve at least one request with the model's max seq len (262144), (16.5 GiB KV cache is"
        " needed, which is larger than the available KV cache memory (11.95 GiB). Based on the"
        " available memory, the estimated maximum model length is 188032. Try increasing"
        " `gpu_memory_utilization` (which also controls CPU memory on the CPU backend) or"
        " decreasing `max_model_len` when initializing the engine. See"
        " https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."
    )
    assert answer.findings[0].hint == "--max-model-len 188032"


@pytest.mark.parametrize(("length", "starts"), [(188032, True), (188033, False)])
def test_the_longest_length_named_starts_and_one_token_more_does_not(
    length: int, starts: bool
) -> None:
    options = {"kv_cache_memory_bytes": [12 * GIB], "max_num_seqs": 8, "max_model_len": length}
    assert (answered(QWEN35_27B, options, machine=HOPPER).refusal is None) == starts


def test_until_0_28_the_null_block_was_not_held_back() -> None:
    """0.28.0 and 0.30.0, v1/core/kv_cache_utils.py: the same pool starts and does not."""
    options = {
        "kv_cache_memory_bytes": [49 * 51380224],
        "max_num_seqs": 8,
        "max_model_len": 784 * 43,
    }
    before = answered(QWEN35_27B, options, version="0.28.0", machine=HOPPER)
    after = answered(QWEN35_27B, options, version="0.30.0", machine=HOPPER)
    assert before.layout["blocks_per_max_len_request"] == 49
    assert before.refusal is None
    assert after.refusal is not None
    assert "the estimated maximum model length is 32928" in after.refusal


def test_no_memory_left_after_weights_is_no_memory_for_blocks() -> None:
    machine = Machine(GIB, "small", (9, 0), overhead_bytes=2 * GIB)
    answer = answered(QWEN3_NEXT, {"max_num_seqs": 8}, machine=machine)
    assert answer.refusal is not None
    assert answer.refusal.startswith("No available memory for the cache blocks.")
    assert (answer.capacity.max_requests, answer.capacity.limited_by) == (0, "memory")


@pytest.mark.parametrize(("version", "starts"), [("0.29.0", False), ("0.32.0", True)])
def test_pages_were_not_aligned_for_drafts_by_every_class(version: str, starts: bool) -> None:
    """vllm#47635: Falcon-H1-3B with three n-gram drafts on 0.29.0."""
    options = POOL | NGRAM | {"max_model_len": 8192}
    model = "tiiuae__Falcon-H1-3B-Base"
    answer = answered(model, options, version=version, machine=HOPPER)
    assert (answer.refusal is None) == starts
    if not starts:
        assert answer.refusal == "AssertionError: page_size_padded >= page_size"
        assert "fewer draft tokens" in (answer.findings[0].hint or "")


@pytest.mark.parametrize(("caching", "starts"), [(True, False), (False, True)])
def test_prefix_caching_can_be_what_no_longer_fits(caching: bool, starts: bool) -> None:
    """vllm#46778: 9.29 GiB needed with prefix caching, 9.28 there; without it the same serves."""
    options = {
        "kv_cache_memory_bytes": [int(9.283 * GIB)],
        "max_num_seqs": 8,
        "kv_cache_dtype": "fp8",
        "enable_prefix_caching": caching,
        "speculative_config": {"method": "mtp", "num_speculative_tokens": 3},
    }
    blackwell = Machine(name="RTX 5090", compute_capability=(12, 0))
    answer = answered(QWEN35_27B, options, version="0.28.0", machine=blackwell)
    assert (answer.refusal is None) == starts
    if not starts:
        assert "9.29 GiB KV cache is needed" in (answer.refusal or "")
        assert "the estimated maximum model length is 260800" in (answer.refusal or "")
