"""Default requests and tokens of a step, by device (engine/arg_utils.py, vLLM 0.33.0)."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Machine, Setting, Settings
from ferrum_cli.engines.vllm.batching import Batching, batching
from ferrum_cli.engines.vllm.options import OPTIONS
from ferrum_cli.engines.vllm.rules import bracket
from ferrum_cli.engines.vllm.versions import READ, Version

GIB = 2**30
LONG = 262144


def batched(machine: Machine, version: Version = READ[-1], **options: Any) -> Batching:
    given = {name: Setting(value, "flag") for name, value in options.items()}
    return batching(Settings(OPTIONS, given), machine, bracket(version).below, LONG)


@pytest.mark.parametrize(
    ("name", "gib", "capability", "seqs", "tokens"),
    [
        ("H100 SXM", 80, (9, 0), 1024, 8192),
        ("H200", 141, (9, 0), 1024, 8192),
        ("B200", 180, (10, 0), 1024, 16384),
        ("A100 80GB", 80, (8, 0), 256, 2048),
        ("RTX 5090", 32, (12, 0), 256, 2048),
        ("GB10", 119, (12, 1), 256, 2048),
    ],
)
def test_the_defaults_by_device(
    name: str, gib: int, capability: tuple[int, int], seqs: int, tokens: int
) -> None:
    found = batched(Machine(gib * GIB, name, capability))
    assert (found.max_num_seqs.value, found.max_num_batched_tokens.value) == (seqs, tokens)
    assert not found.assumed


def test_gb10_was_taken_for_a_large_device_until_0_32() -> None:
    spark = Machine(119 * GIB, "GB10", (12, 1))
    assert batched(spark, Version(0, 32)).max_num_seqs.value == 1024


def test_a_device_of_unknown_memory_is_taken_for_a_large_one_and_said_to_be() -> None:
    found = batched(Machine())
    assert (found.max_num_seqs.value, found.assumed) == (1024, True)
    assert not batched(Machine(), max_num_seqs=8).assumed


def test_requests_cannot_be_more_than_tokens_of_a_step() -> None:
    assert batched(Machine(), max_num_batched_tokens=100).max_num_seqs.value == 100


def test_throughput_doubles_the_defaults_alone() -> None:
    machine = Machine(80 * GIB, "H100", (9, 0))
    found = batched(machine, performance_mode="throughput")
    assert (found.max_num_seqs.value, found.max_num_batched_tokens.value) == (2048, 16384)
    assert batched(machine, performance_mode="throughput", max_num_seqs=5).max_num_seqs.value == 5


def test_fewer_active_requests_run_than_graphs_are_captured_for() -> None:
    found = batched(Machine(), max_num_seqs=64, max_num_active_seqs=8)
    assert (found.max_num_seqs.value, found.most_running) == (64, 8)
