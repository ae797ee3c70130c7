"""Figures and their limits."""

from __future__ import annotations

import pytest

from ferrum_cli.live.measure import Measurement, overhead
from ferrum_cli.live.measure._measurement import fastest
from ferrum_cli.live.measure._yardstick import Yardstick
from ferrum_cli.live.measure.copies import CopyTimes
from tests.live.shipped import shipped_state_model
from tests.live.specs import request


def test_a_ratio_is_value_over_limit() -> None:
    assert Measurement("x", 30, "ns", 10).ratio == 3
    assert Measurement("x", 30, "tokens").to_json() == {
        "name": "x",
        "value": 30,
        "unit": "tokens",
        "limit": None,
        "ratio": None,
    }


def test_the_fastest_round_of_each_counts() -> None:
    # The clock reads 0, 5; 5, 20; then 20, 22; 22, 60: one pair a work, two rounds.
    readings = iter([0, 5, 5, 20, 20, 22, 22, 60])
    best = fastest({"a": object, "b": object}, rounds=2, clock=lambda: next(readings))
    assert best == {"a": 2, "b": 15}


def test_the_yardstick_hands_out_slots_in_turn() -> None:
    yard = Yardstick(2)
    assert [yard.allocate(request(n)) for n in range(2)] == [0, 1]
    yard.deallocate(request(0))
    assert yard.allocate(request(2)) == 0


# snapshot, restore and one token, in ns; from how many tokens on copying is cheaper
BREAK_EVEN = [(50, 50, 10, 10), (50, 51, 10, 11), (1, 1, 100, 1)]


@pytest.mark.parametrize(("snapshot", "restore", "step", "tokens"), BREAK_EVEN)
def test_the_break_even_is_the_first_whole_token_that_costs_as_much(
    snapshot: float, restore: float, step: float, tokens: int
) -> None:
    times = CopyTimes(1000, 10, 10, 10, snapshot, restore, step)
    assert times.break_even_tokens == tokens


def test_rates_are_bytes_of_a_slot_per_second_against_the_plain_operation() -> None:
    times = CopyTimes(1000, copy=100, fill=50, zero=100, snapshot=200, restore=100, step=400)
    figures = {figure.name: figure for figure in times.measurements()}
    assert figures["zero"].value == 1000 / 100e-9
    assert [figures[name].ratio for name in ("zero", "snapshot", "restore")] == [0.5, 0.5, 1.0]
    assert figures["recompute"].value == 1 / 400e-9
    assert figures["recompute"].ratio == 0.25


def test_overheads_are_those_of_the_simulated_allocator() -> None:
    # live_memory 1.1, 64 slots of Qwen3-Next
    found = {f.name: f.value for f in overhead(shipped_state_model("qwen3-next-80b-a3b"), 64)}
    assert found == {
        "overhead_arena": 0,
        "overhead_layer_major": 12_582_912,
        "overhead_per_tensor": 14_680_064,
    }
