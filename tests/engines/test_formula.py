"""Formulas are written so that they can be worked out again."""

from __future__ import annotations

import pytest

from ferrum_cli.dtype import DType
from ferrum_cli.engines import StateTensor
from ferrum_cli.engines._formula import by_rank, largest, least, number, slot, summed


@pytest.mark.parametrize(
    ("sizes", "formula"),
    [
        ([2048, 2048, 1152], "2 layers × 2048 B + 1 layers × 1152 B"),
        ([0, 5.0], "1 layers × 5 B"),
        ([0.5, 0.5], "2 layers × 0.5 B"),
        ([], "0 B, no such layers"),
    ],
)
def test_equal_sizes_are_gathered(sizes: list[float], formula: str) -> None:
    assert summed(sizes, "layers", "B") == formula


def test_a_slot_names_its_tensors_with_shape_and_bytes() -> None:
    tensors = [StateTensor(n, "state", (2, 3), DType.FP32) for n in range(4)]
    assert slot(tensors) == "4 state × 2·3 × 4 B"
    assert slot([]) == "0 B, no recurrent state"


def test_the_least_and_the_largest_of_one_are_itself() -> None:
    assert least(["1 B", "1 B"]) == largest(["1 B"]) == "1 B"
    assert least(["1 B", "2 B"]) == "min(1 B, 2 B)"
    assert largest(["1 B", "2 B"]) == "max(1 B, 2 B)"


def test_ranks_are_numbered_where_there_are_several() -> None:
    assert [f.name for f in by_rank("size", [1], ["1"], "a source")] == ["size"]
    assert [f.name for f in by_rank("size", [1, 2], ["1", "2"], "a source")] == ["size.0", "size.1"]


def test_a_large_whole_number_keeps_every_digit() -> None:
    assert number(33_554_432.0) == "33554432"
    assert number(1.25) == "1.25"
