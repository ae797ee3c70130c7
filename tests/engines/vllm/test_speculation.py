"""What --speculative-config is read as, and what drafts cost."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Setting, Settings
from ferrum_cli.engines.vllm.options import OPTIONS
from ferrum_cli.engines.vllm.speculation import NO_MODEL, NO_TOKENS, Speculation, speculation
from ferrum_cli.errors import UsageError
from tests.engines.vllm.asking import (
    HOPPER,
    LLAMA,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    description,
    finding,
)


def read(model: str, **options: Any) -> Speculation:
    given = {name: Setting(value, "flag") for name, value in options.items()}
    return speculation(Settings(OPTIONS, given), description(model))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, Speculation()),
        ({}, Speculation()),
        ({"method": "ngram", "num_speculative_tokens": 3}, Speculation("ngram", 3)),
        ({"model": "ngram", "num_speculative_tokens": 3}, Speculation("ngram", 3)),
        (
            {"method": "mtp", "num_speculative_tokens": 2},
            Speculation("mtp", 2, own_layers=True),
        ),
        (
            {"method": "qwen3_next_mtp", "num_speculative_tokens": 2},
            Speculation("mtp", 2, own_layers=True),
        ),
        ({"method": "mtp"}, Speculation("mtp", 1, own_layers=True)),
        (
            {"model": "owner/draft", "num_speculative_tokens": 4},
            Speculation("draft_model", 4, foreign_layers=True),
        ),
        (
            {"method": "eagle3", "model": "owner/draft", "num_speculative_tokens": 4},
            Speculation("eagle3", 4, foreign_layers=True),
        ),
        ({"num_speculative_tokens": 4}, Speculation(refusal=NO_MODEL)),
        ({"method": "ngram"}, Speculation("ngram", refusal=NO_TOKENS)),
    ],
)
def test_configurations_are_read_as_vllm_reads_them(
    config: dict[str, Any] | None, expected: Speculation
) -> None:
    assert read(QWEN35_27B, speculative_config=config) == expected


def test_the_short_flags_say_the_same() -> None:
    assert read(LLAMA, spec_method="ngram", spec_tokens=3) == Speculation("ngram", 3)


def test_a_checkpoint_without_drafts_has_none_of_its_own() -> None:
    config = {"method": "mtp", "num_speculative_tokens": 2}
    assert not read(LLAMA, speculative_config=config).own_layers


@pytest.mark.parametrize(
    "config",
    [
        [1],
        "mtp",
        {"method": 3, "num_speculative_tokens": 1},
        {"method": "mtp", "num_speculative_tokens": 0},
        {"method": "mtp", "num_speculative_tokens": True},
        {"method": "mtp", "num_speculative_tokens": "2"},
    ],
)
def test_other_values_are_errors(config: Any) -> None:
    with pytest.raises(UsageError):
        read(QWEN35_27B, speculative_config=config)


def test_an_unknown_method_is_refused_with_the_choices() -> None:
    config = {"method": "oracle", "num_speculative_tokens": 1}
    refusal = read(QWEN35_27B, speculative_config=config).refusal
    assert refusal is not None
    assert "'ngram'" in refusal


def test_drafts_widen_windows_and_add_whole_states() -> None:
    """GDN: K − 1 + s rows and 1 + s states a group (vLLM 0.33.0, mamba_utils.py)."""
    without = POOL | {"max_model_len": 32768, "enable_prefix_caching": False}
    config = {"method": "ngram", "num_speculative_tokens": 3}
    plain = answered(QWEN3_NEXT, without, machine=HOPPER)
    drafts = answered(QWEN3_NEXT, without | {"speculative_config": config}, machine=HOPPER)
    assert plain.layout["recurrent_tensors_per_layer"][0]["shape"] == [3, 8192]
    assert drafts.layout["recurrent_tensors_per_layer"][0]["shape"] == [6, 8192]
    groups = {g["kind"]: g["blocks_per_request"] for g in drafts.layout["kv_cache_groups"]}
    assert groups["mamba"] == 4


@pytest.mark.parametrize(("tokens", "concurrency"), [(1, 14.25), (2, 13.47), (3, 12.78)])
def test_an_mtp_layer_joins_the_attention_and_widens_every_block(
    tokens: int, concurrency: float
) -> None:
    """Qwen3.5-27B, computed by vLLM 0.33.0: 17 pages a block instead of 16."""
    config = {"method": "mtp", "num_speculative_tokens": tokens}
    options = POOL | {"max_model_len": 32768, "speculative_config": config}
    layout = answered(QWEN35_27B, options, machine=HOPPER).layout
    page = layout["state_page_bytes_per_layer"]
    assert layout["pool_bytes_per_block_per_rank"] == [17 * page]
    assert round(layout["max_concurrency"], 2) == concurrency


def test_the_layers_of_a_foreign_draft_are_said_to_be_missing() -> None:
    config = {"method": "eagle3", "model": "owner/draft", "num_speculative_tokens": 3}
    answer = answered(QWEN35_27B, POOL | {"speculative_config": config}, machine=HOPPER)
    assert answer.refusal is None
    assert finding(answer, "draft-unknown")


def test_what_speculation_costs_is_said() -> None:
    config = {"method": "ngram", "num_speculative_tokens": 3}
    answer = answered(QWEN3_NEXT, POOL | {"speculative_config": config}, machine=HOPPER)
    cost = finding(answer, "speculation-cost")
    assert cost is not None
    assert "3 draft tokens" in cost.message
