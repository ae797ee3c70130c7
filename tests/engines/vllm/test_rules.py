"""The table of rules: complete for every version, and in doubt only between two that were read."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise

import pytest

from ferrum_cli.engines.vllm.rules import TABLE, Rules, bracket
from ferrum_cli.engines.vllm.start import by_rules
from ferrum_cli.engines.vllm.versions import READ, Version
from tests.engines.vllm.asking import (
    HOPPER,
    JAMBA,
    KIMI_LINEAR,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    finding,
    started,
)

RULES = [field.name for field in fields(Rules)]


@pytest.mark.parametrize("version", READ, ids=str)
def test_every_version_read_has_every_rule_and_no_doubt(version: Version) -> None:
    found = bracket(version)
    assert found.above is None
    assert found.differing == ()


@pytest.mark.parametrize("rule", RULES)
def test_rows_are_in_order_begin_with_the_first_version_and_change_something(rule: str) -> None:
    rows = [row for row in TABLE if row.rule == rule]
    sinces = [Version.of(row.since) for row in rows]
    assert sinces[0] == READ[0]
    assert sinces == sorted(set(sinces))
    assert set(sinces) <= set(READ)
    assert all(before.value != after.value for before, after in pairwise(rows))
    assert all(row.source.endswith(".py") for row in rows)


def test_no_row_speaks_of_a_rule_that_is_not_there() -> None:
    assert {row.rule for row in TABLE} == set(RULES)


def test_between_two_versions_both_rules_are_given_where_they_differ() -> None:
    found = bracket(Version(0, 32, 1))
    assert found.read == (Version(0, 32, 0), Version(0, 33, 0))
    assert found.above is not None
    assert "gdn_checkpoints" in found.differing
    assert (found.below.gdn_checkpoints, found.above.gdn_checkpoints) == (False, True)


# By version: block, mode and blocks of a request of 32,768 tokens. Blocks and modes follow from the
# sources named in the table; numbers of 0.32.0 and 0.33.0 were computed by vLLM itself.
THROUGH_VERSIONS = [
    (QWEN3_NEXT, "0.11.2", 544, "none", 3 * 1 + 61),
    (QWEN3_NEXT, "0.20.2", 544, "none", 3 * 1 + 61),
    (QWEN3_NEXT, "0.26.0", 544, "align", 3 * 2 + 61),
    (QWEN3_NEXT, "0.32.0", 544, "align", 67),
    (QWEN3_NEXT, "0.33.0", 576, "align", 66),
    # Latent attention: blocks of 64 tokens at first, then of 16, then of 128.
    (KIMI_LINEAR, "0.11.2", 1920, "none", 3 * 1 + 18),
    (KIMI_LINEAR, "0.20.2", 1888, "none", 3 * 1 + 18),
    (KIMI_LINEAR, "0.32.0", 1920, "align", 24),
    # Mode all where it was the default: states at every 2,048 tokens.
    (JAMBA, "0.20.2", 80, "none", 7 * 1 + 410),
    (JAMBA, "0.26.0", 2048, "all", 7 * 16 + 16),
    (JAMBA, "0.31.0", 80, "align", 7 * 2 + 410),
    # Mamba-2 holds a block for checkpoints from 0.32 on.
    (NEMOTRON3_NANO, "0.31.0", 2096, "align", 4 * 2 + 16),
    (NEMOTRON3_NANO, "0.32.0", 2096, "align", 28),
]


@pytest.mark.parametrize(("model", "version", "block", "mode", "need"), THROUGH_VERSIONS)
def test_one_start_through_the_versions(
    model: str, version: str, block: int, mode: str, need: int
) -> None:
    options = POOL | {"max_model_len": 32768}
    layout = answered(model, options, version=version, machine=HOPPER).layout
    assert layout["block_size"] == block
    assert layout["mamba_cache_mode"] == mode
    assert layout["blocks_per_max_len_request"] == need


@pytest.mark.parametrize(("version", "tokens"), [("0.11.2", 163072), ("0.20.2", 608028)])
def test_the_logs_tokens_of_835_blocks_in_two_versions(version: str, tokens: int) -> None:
    """Computed by the functions of both versions themselves, for four groups of 784 tokens."""
    options = POOL | {"max_model_len": 32768, "enable_prefix_caching": False}
    begun = started(QWEN35_27B, options, version="0.32.0", machine=HOPPER)
    rule = bracket(Version.of(version)).below.size_in_log
    mixed = replace(begun.config.rules, size_in_log=rule)
    found = by_rules(begun.question, begun.launch, mixed)
    assert found.outcome.pool is not None
    assert found.outcome.pool.num_blocks == 835
    assert found.limits.kv_cache_size_tokens == tokens


def test_a_version_in_doubt_gives_both_answers_and_names_the_rule() -> None:
    options = POOL | {"max_model_len": 32768}
    answer = answered(QWEN3_NEXT, options, version="0.32.1", machine=HOPPER)
    doubt = finding(answer, "version-in-doubt")
    assert doubt is not None
    assert "gdn_checkpoints" in doubt.message
    assert "block_size 544 or 576" in doubt.message


def test_a_version_in_doubt_bounds_the_requests_that_run() -> None:
    options = POOL | {"max_model_len": 32768, "max_num_seqs": 256}
    asked = {"options": options, "context": 4096, "machine": HOPPER}
    before, doubtful, after = (
        answered(QWEN35_27B, version=version, **asked).capacity
        for version in ("0.32.0", "0.32.1", "0.33.0")
    )
    assert before.max_requests != after.max_requests
    assert {doubtful.low, doubtful.high} == {before.max_requests, after.max_requests}
    assert doubtful.max_requests == before.max_requests


def test_a_version_between_two_that_agree_is_said_to_be_so() -> None:
    options = POOL | {"max_model_len": 32768, "enable_prefix_caching": True}
    answer = answered(QWEN3_NEXT, options, version="0.31.1", machine=HOPPER)
    found = finding(answer, "version-not-read")
    assert found is not None
    assert "0.31.0 and 0.32.0 agree" in found.message
    assert answer.capacity.low is None


def test_a_version_newer_than_all_read_is_planned_by_the_newest_rules() -> None:
    newest = answered(QWEN3_NEXT, POOL, version="0.33.0", machine=HOPPER)
    later = answered(QWEN3_NEXT, POOL, version="0.35.0", machine=HOPPER)
    assert later.layout == newest.layout
    assert finding(later, "version-newer") is not None
    assert finding(newest, "version-newer") is None
