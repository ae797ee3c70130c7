"""The speed that the product promises, as ratios within one run; and the same as benchmarks.

A shared machine only ever makes things slower, and not all alike: a bar that is missed is measured
again, and is missed for good only when it was missed every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ferrum_cli.live.device.cpu import CpuDevice
from ferrum_cli.live.measure._measurement import fastest
from ferrum_cli.live.measure.bookkeeping import Bench, EvictingBench
from ferrum_cli.live.measure.copies import CopyBench
from ferrum_cli.live.model import StateModel
from tests.live.shipped import shipped_state_model

TRIES = 6
# Of the yardstick: a queue and a dictionary, without a check or a counter.
PLAIN, AWAITED = 3.5, 5.0
# Of a plain copy, or a plain fill, of the same size.
SNAPSHOT, RESTORE, ZERO = 0.90, 0.80, 0.40


def qwen() -> StateModel:
    return shipped_state_model("qwen3-next-80b-a3b")


@pytest.fixture(scope="module")
def copies() -> Iterator[CopyBench]:
    """One state of 77 MB, its snapshot and plain buffers: touching them takes a second."""
    bench = CopyBench(qwen(), CpuDevice())
    yield bench
    bench.close()


def reached(measure: Callable[[], dict[str, float]], bars: dict[str, float], *, most: bool) -> None:
    """Every ratio is within its bar in some try."""
    seen: dict[str, float] = {}
    for _ in range(TRIES):
        for name, ratio in measure().items():
            better = min if most else max
            seen[name] = better(ratio, seen.get(name, ratio))
        if all(seen[name] <= bar if most else seen[name] >= bar for name, bar in bars.items()):
            return
    raise AssertionError(f"{seen} for {bars}")


@pytest.mark.parametrize("live", [10, 10_000])
def test_allocating_costs_a_few_times_the_yardstick_however_many_states_live(live: int) -> None:
    bench = Bench(qwen(), live)

    def ratios() -> dict[str, float]:
        best = fastest(
            {"yard": bench.yard, "plain": bench.plain, "awaited": bench.awaited}, rounds=10
        )
        return {name: best[name] / best["yard"] for name in ("plain", "awaited")}

    reached(ratios, {"plain": PLAIN, "awaited": AWAITED}, most=True)
    bench.close()


def test_a_touch_costs_less_than_the_yardstick() -> None:
    bench = Bench(qwen())

    def ratios() -> dict[str, float]:
        best = fastest({"yard": bench.yard, "touch": bench.touch}, rounds=10)
        return {"touch": best["touch"] / best["yard"]}

    reached(ratios, {"touch": 1.0}, most=True)
    bench.close()


def test_statistics_cost_the_same_with_ten_thousand_states() -> None:
    few, many = Bench(qwen(), 10), Bench(qwen(), 10_000)

    def ratios() -> dict[str, float]:
        best = fastest({"few": few.stats, "many": many.stats}, rounds=10)
        return {"stats": best["many"] / best["few"]}

    reached(ratios, {"stats": 1.5}, most=True)
    few.close()
    many.close()


def test_copies_are_as_fast_as_plain_ones(copies: CopyBench) -> None:
    def ratios() -> dict[str, float]:
        best = fastest({name: getattr(copies, name) for name in ("copy", "fill", *bars)}, rounds=5)
        plain = {"snapshot": "copy", "restore": "copy", "zero": "fill"}
        return {name: best[plain[name]] / best[name] for name in bars}

    bars = {"snapshot": SNAPSHOT, "restore": RESTORE, "zero": ZERO}
    reached(ratios, bars, most=False)


def test_all_views_of_a_slot_cost_as_much_as_a_few_views_of_a_tensor(copies: CopyBench) -> None:
    rows = copies.plain.tensor.view(36, -1)
    views, handle = copies.storage.views, copies.handle
    [slot] = handle.slots

    def one() -> None:
        for _ in range(200):
            rows[7]

    def of_a_slot() -> None:
        for _ in range(200):
            views(slot)

    def of_a_handle() -> None:
        for _ in range(200):
            handle.views()

    def ratios() -> dict[str, float]:
        best = fastest({"one": one, "slot": of_a_slot, "handle": of_a_handle}, rounds=10)
        return {name: best[name] / best["one"] for name in ("slot", "handle")}

    # 72 tensors in 2 views: a view takes 0.7 to 0.9 µs where this was written, so that both are
    # under 3 µs.
    reached(ratios, {"slot": 2.6, "handle": 3.3}, most=True)


@pytest.mark.parametrize("name", ["yard", "plain", "awaited", "touch", "stats"])
def test_benchmark_of_the_managers_work(benchmark: BenchmarkFixture, name: str) -> None:
    bench = Bench(qwen())
    benchmark(getattr(bench, name))
    bench.close()


def test_benchmark_of_an_allocation_that_evicts(benchmark: BenchmarkFixture) -> None:
    bench = EvictingBench(qwen())
    benchmark(bench.evict_allocate)
    bench.close()


@pytest.mark.parametrize("name", ["copy", "fill", "zero", "snapshot", "restore", "step"])
def test_benchmark_of_a_copy(benchmark: BenchmarkFixture, copies: CopyBench, name: str) -> None:
    benchmark(getattr(copies, name))
