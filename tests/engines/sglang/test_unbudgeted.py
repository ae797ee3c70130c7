"""Memory that SGLang charges to no budget, and the host tier."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Answer
from ferrum_cli.engines.sglang.unbudgeted import row_tokens
from tests.engines.sglang.asking import QWEN3_NEXT, answered, started


def line(found: Answer, name: str) -> int:
    return next((x.size_bytes for x in found.memory if x.name.startswith(name)), 0)


@pytest.mark.parametrize(
    ("options", "tokens"),
    # mem_cache/allocation_sizing.py: 4 + draft tokens, or twice a decode and a page less one.
    [
        ({}, 262_144 + 4),
        ({"speculative_algorithm": "NEXTN"}, 262_144 + 4 + 4),
        ({"speculative_algorithm": "NEXTN", "page_size": 64}, 262_144 + 8 + 63),
    ],
)
def test_a_row_of_the_request_table_has_room_for_drafts_and_pages(
    options: dict[str, object], tokens: int
) -> None:
    launch = started(QWEN3_NEXT, **options).launch
    assert launch is not None
    assert row_tokens(launch) == tokens


def test_the_int8_pool_has_twice_the_slots_with_a_scale_for_each_key_channel() -> None:
    found = answered(QWEN3_NEXT, max_mamba_cache_size=100, enable_int8_mamba_checkpoint=True)
    layer = 32 * 128 * 128 + 32 * 128 * 4 + 8192 * 3 * 2
    assert line(found, "int8 checkpoint pool") == 36 * 201 * layer


def test_decode_rings_stand_beside_every_slot() -> None:
    found = answered(
        QWEN3_NEXT,
        max_mamba_cache_size=100,
        enable_linear_replayssm=True,
        mamba_radix_cache_strategy="no_buffer",
        disable_overlap_schedule=True,
    )
    layer = 16 * (32 * 128 * 4 + 16 * 128 * 4 + 32 * 4)
    assert line(found, "ReplaySSM decode rings") == 36 * 101 * layer


def test_a_decode_server_adds_slots_for_requests_on_their_way() -> None:
    found = answered(QWEN3_NEXT, disaggregation_mode="decode", max_running_requests=16)
    # Without a prefix cache 16 requests have 16 slots; 32 more may be on their way.
    assert line(found, "state slots of incoming requests") == 32 * 77_266_944


def test_lines_that_no_budget_knows_of_are_not_counted_by_budget() -> None:
    found = answered(QWEN3_NEXT)
    apart = [x.name for x in found.memory if not x.budgeted]
    assert "req_to_token table (in no budget)" in apart
    assert "KV pad page (in no budget)" in apart


def test_the_host_pools_mirror_the_device_pools() -> None:
    found = answered(QWEN3_NEXT, enable_hierarchical_cache=True, hicache_ratio=4.0)
    # 341 slots and 1,201,035 tokens on the device; each host pool has one more.
    assert found.layout["host_state_slots"] == 4 * 341 + 1
    assert found.layout["host_kv_tokens"] == 4 * 1_201_035 + 1
    text = next(x.text for x in found.log_lines if x.key == "host_state_allocated")
    assert text == (
        "Allocating 105.47 GB host memory for hierarchical Mamba cache (1365 state slots,"
        " layout=page_first)."
    )


def test_a_size_in_gigabytes_is_split_by_the_bytes_of_the_device_pools() -> None:
    found = answered(QWEN3_NEXT, enable_hierarchical_cache=True, hicache_size=100)
    total = found.layout["host_state_bytes"] + found.layout["host_kv_bytes"]
    assert total == pytest.approx(100e9, rel=0.002)


def test_without_hicache_there_is_no_host_tier() -> None:
    assert "host_state_slots" not in answered(QWEN3_NEXT).layout
