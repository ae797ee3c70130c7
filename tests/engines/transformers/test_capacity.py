"""Sequences that fit: memory − weights − overhead over state and KV of one sequence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.engines import Machine, Weights
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand import Parallel
from tests.engines.transformers.asking import GIB, asked, built_from
from tests.models import described, qwen3_next
from tests.running import ferrum

MODEL = qwen3_next()
# Measured on the meta device: state of one sequence and parameters (the published config.json).
STATE, KV_TOKEN, PARAMETERS = 77_856_768, 24_576, 79_674_391_296
WEIGHTS = 2 * PARAMETERS
memory = Machine(memory_bytes=200 * GIB, overhead_bytes=3 * GIB)


def test_what_is_left_after_weights_and_overhead_is_divided_by_one_sequence() -> None:
    capacity = asked(MODEL, machine=memory, seq_len=131_072).capacity
    left = 197 * GIB - WEIGHTS
    assert capacity.available_bytes == left
    assert capacity.max_requests == left // (STATE + KV_TOKEN * 131_072)
    assert capacity.context == 131_072


@given(sequences=st.integers(1, 500), length=st.integers(1, 300_000))
def test_memory_for_exactly_n_sequences_holds_n(sequences: int, length: int) -> None:
    need = WEIGHTS + sequences * (STATE + KV_TOKEN * length)
    for spare, most in ((0, sequences), (-1, sequences - 1)):
        answer = asked(MODEL, machine=Machine(memory_bytes=need + spare), seq_len=length)
        assert answer.capacity.max_requests == most


def test_without_memory_nothing_is_said_about_sequences() -> None:
    capacity = asked(MODEL).capacity
    assert (capacity.max_requests, capacity.available_bytes, capacity.limited_by) == (None,) * 3


def test_weights_that_do_not_fit_leave_no_sequence() -> None:
    capacity = asked(MODEL, machine=Machine(memory_bytes=80 * GIB)).capacity
    assert (capacity.max_requests, capacity.limited_by) == (0, "memory")


@pytest.mark.parametrize(("length", "limit"), [(1024, "state"), (131_072, "kv")])
def test_the_larger_part_of_a_sequence_is_named_as_the_limit(length: int, limit: str) -> None:
    assert asked(MODEL, machine=memory, seq_len=length).capacity.limited_by == limit


def test_replicas_multiply_the_sequences() -> None:
    one, four = (asked(MODEL, machine=memory, parallel=Parallel(dp=n)).capacity for n in (1, 4))
    assert four.max_requests == 4 * (one.max_requests or 0)


def test_a_static_cache_holds_fewer_sequences_than_a_dynamic_one_at_the_same_length() -> None:
    options = {"seq_len": 1024, "max_cache_len": 131_072}
    dynamic = asked(MODEL, machine=memory, **options).capacity.max_requests
    static = asked(MODEL, machine=memory, **options, cache_implementation="static").capacity
    assert static.max_requests is not None
    assert static.max_requests < (dynamic or 0)


def test_memory_is_counted_for_the_requests_asked_for_and_not_for_the_batch() -> None:
    answer = asked(MODEL, requests=7, batch_size=3, seq_len=1000, parallel=Parallel(dp=2))
    lines = {line.name: line.size_bytes for line in answer.memory}
    assert lines["recurrent state"] == 4 * STATE
    assert lines["KV cache"] == 4 * KV_TOKEN * 1000
    assert answer.layout["kv_bytes"] == 3 * KV_TOKEN * 1000


@pytest.mark.parametrize(("dtype", "size"), [("float32", 4), ("float16", 2), ("auto", 2)])
def test_weights_counted_from_parameters_follow_the_dtype(dtype: str, size: int) -> None:
    lines = {line.name: line.size_bytes for line in asked(MODEL, dtype=dtype).memory}
    assert lines["weights"] == size * PARAMETERS


def test_weights_measured_in_a_checkpoint_keep_their_size() -> None:
    answer = asked(MODEL, dtype="float32", weights=Weights((123_456,), "checkpoint"))
    assert answer.memory[0].size_bytes == 123_456
    assert answer.memory[0].formula == "checkpoint"


def test_the_decays_of_lightning_attention_are_memory_but_no_parameters() -> None:
    # MiniMax-M1: 70 layers of 64 heads; 295,899,520 elements of persistent buffers were counted.
    lightning = LightningAttention(num_heads=64, head_dim=128)
    answer = asked(built_from(*("lightning",) * 70, lightning=lightning), machine=memory)
    lines = {line.name: line.size_bytes for line in answer.memory}
    assert lines["decay tables"] == 2 * 295_899_520
    held = lines["weights"] + lines["decay tables"] + lines["overhead"]
    assert answer.capacity.available_bytes == 200 * GIB - held


@pytest.mark.parametrize("parallel", [Parallel(tp=2), Parallel(pp=2), Parallel(tp=4, pp=2)])
def test_a_replica_over_several_devices_is_not_planned(parallel: Parallel) -> None:
    with pytest.raises(ShardingError, match="not known to Ferrum"):
        asked(described(), parallel=parallel)


def test_the_figures_explain_every_number_of_the_layout() -> None:
    answer = asked(MODEL, machine=memory, batch_size=2, seq_len=1000)
    figures = {figure.name: figure.value for figure in answer.figures}
    assert figures["bytes_per_slot"] == STATE
    assert figures["state_bytes"] == answer.layout["state_bytes"] == 2 * STATE
    assert figures["kv_bytes_per_token"] == KV_TOKEN
    assert figures["kv_bytes"] == answer.layout["kv_bytes"]
    assert figures["max_requests"] == answer.capacity.max_requests


def test_the_command_says_how_many_sequences_fit() -> None:
    result = ferrum(
        *("plan", "qwen3-next-80b-a3b", "--engine", "transformers", "--memory", "192GiB"),
        *("--context", "32k"),
    )
    assert result.exit_code == 0
    assert "53 requests of 32k tokens fit" in result.stdout
