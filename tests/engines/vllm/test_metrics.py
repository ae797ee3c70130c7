"""Names of gauges, and the figures of a plan that they are held against."""

from __future__ import annotations

from ferrum_cli.engines.vllm.metrics import LABELS, METRICS
from tests.engines.vllm.asking import HOPPER, POOL, QWEN3_NEXT, answered


def test_labels_are_held_against_figures_that_every_layout_has() -> None:
    layout = answered(QWEN3_NEXT, POOL, machine=HOPPER).layout
    assert set(LABELS.values()) <= set(layout)


def test_gauges_are_vllms_and_say_what_they_count() -> None:
    assert all(name.startswith("vllm:") for name in METRICS)
    assert all(METRICS.values())
