"""Speculative decoding: draft tokens, reserved states, rings, and what is really allocated."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines.sglang.memory_lines import draft_state_bytes
from ferrum_cli.expand import Parallel
from tests.engines.sglang.asking import LFM2, LLAMA, QWEN3_NEXT, answered, started

CHAIN = {
    "speculative_algorithm": "NEXTN",
    "speculative_num_steps": 3,
    "speculative_eagle_topk": 1,
    "speculative_num_draft_tokens": 4,
}


# arg_groups/speculative_hook.py: (draft tokens, steps, branches, draft layers).
@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        (QWEN3_NEXT, CHAIN, (4, 3, 1, 1)),
        (QWEN3_NEXT, {"speculative_algorithm": "eagle"}, (4, 3, 1, 1)),
        (LLAMA, {"speculative_algorithm": "EAGLE"}, (8, 5, 4, 1)),
        (QWEN3_NEXT, {**CHAIN, "speculative_num_draft_tokens": 9}, (4, 3, 1, 1)),
        (QWEN3_NEXT, {**CHAIN, "speculative_eagle_topk": 4}, (4, 3, 4, 1)),
        (QWEN3_NEXT, {"speculative_algorithm": "NGRAM"}, (12, 1, 10, 0)),
    ],
)
def test_the_numbers_are_filled_in_as_sglang_does(
    model: dict[str, Any], options: dict[str, Any], expected: tuple[int, int, int, int]
) -> None:
    launch = started(model, **options).launch
    assert launch is not None
    found = launch.speculation
    assert found is not None
    assert (found.draft_tokens, found.steps, found.branches, found.draft_layers) == expected


def test_requests_default_to_48_with_speculation() -> None:
    assert (started(QWEN3_NEXT, **CHAIN).launch or _fail()).requests == 48
    assert (started(QWEN3_NEXT).launch or _fail()).requests is None


def _fail() -> Any:
    raise AssertionError("the start was refused")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"speculative_algorithm": "EAGLE", "speculative_eagle_topk": 1}, "AssertionError"),
        (
            {"speculative_algorithm": "MAGIC"},
            "ValueError: Unknown speculative algorithm name: MAGIC",
        ),
        (
            {"speculative_algorithm": "DFLASH"},
            (
                "ValueError: DFLASH speculative decoding requires setting"
                " --speculative-draft-model-path."
            ),
        ),
        (
            {"speculative_algorithm": "NGRAM", "parallel": Parallel(pp=2)},
            (
                "AssertionError: Pipeline parallelism currently only supports EAGLE"
                " (non-multi-layer) speculative decoding"
            ),
        ),
        (
            {"speculative_algorithm": "NGRAM", "attn_dp_size": 2, "parallel": Parallel(tp=2)},
            "ValueError: Currently ngram speculative decoding does not support dp attention.",
        ),
    ],
)
def test_incomplete_or_impossible_speculation_is_refused(
    options: dict[str, Any], words: str
) -> None:
    refusal = started(QWEN3_NEXT, **options).refusal
    assert refusal is not None
    assert refusal.text == words


def test_windows_of_a_chain_overlap_and_those_of_a_tree_do_not() -> None:
    # SGLang 0.5.23's MambaPool with two requests on tp 2: 5,308,416 bytes for a chain, and
    # 36 layers x 3 rows x 4 tokens x 4096 x 3 x 2 bytes where nothing overlaps.
    chain = started(QWEN3_NEXT, **CHAIN, parallel=Parallel(tp=2))
    tree = started(QWEN3_NEXT, **{**CHAIN, "speculative_eagle_topk": 2}, parallel=Parallel(tp=2))
    assert chain.launch is not None
    assert tree.launch is not None
    assert chain.slot is not None
    assert draft_state_bytes(chain.launch, chain.slot, 2) == (36 * 3 * 4 * 2**20, 5_308_416)
    assert draft_state_bytes(tree.launch, chain.slot, 2)[1] == 10_616_832


def test_replay_rings_replace_the_states_of_draft_tokens() -> None:
    found = started(QWEN3_NEXT, **CHAIN, enable_linear_replayssm_spec=True, parallel=Parallel(tp=2))
    assert found.slot is not None
    # Golden qwen3next-tp2-nextn3-replayssm: replayssm_ring_bytes_per_req.
    assert found.slot.request_ring_bytes == 7_114_752
    assert not found.slot.draft_states
    assert found.slots == 675


def test_a_draft_that_is_not_described_is_said_to_be_assumed() -> None:
    codes = [f.code for f in answered(LFM2, speculative_algorithm="EAGLE3").findings]
    assert "draft-assumed" in codes
    assert "speculation-default-requests" in codes
