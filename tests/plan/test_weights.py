"""Weights of a plan: counted, or as a file has them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ferrum_cli.describe.stored_weights import StoredWeights
from ferrum_cli.expand import Parallel, weight_bytes_per_rank
from ferrum_cli.plan.weights import weights_of
from tests.models import described

STORED = StoredWeights(
    source="tensor table: Q4_K 660 B",
    embedding_bytes=100,
    layer_bytes=(50, 70),
    expert_bytes=(0, 40),
    head_bytes=30,
    draft_bytes=7,
)
FILE = replace(described(), stored_weights=STORED, tie_embeddings=False)


def test_a_description_without_a_file_is_counted() -> None:
    model = described()
    found = weights_of(model, Parallel(tp=2))
    assert found.bytes_per_rank == weight_bytes_per_rank(model, Parallel(tp=2))
    assert (found.source, found.known) == ("parameters × BF16", True)


@pytest.mark.parametrize(
    ("parallel", "tied", "expected"),
    [
        (Parallel(), False, (250,)),
        (Parallel(), True, (250,)),
        (Parallel(pp=2), False, (150, 100)),
        (Parallel(pp=2), True, (150, 200)),
        (Parallel(tp=2), False, (125,)),
        (Parallel(tp=4, pp=2), False, (38, 25)),
        (Parallel(dp=3), False, (250,)),
    ],
)
def test_a_files_tensors_are_spread_over_stages_and_ranks(
    parallel: Parallel, tied: bool, expected: tuple[int, ...]
) -> None:
    """Drafts are left out; a tied embedding stands on the first and the last stage."""
    found = weights_of(replace(FILE, tie_embeddings=tied), parallel)
    assert found.bytes_per_rank == expected
    assert (found.source, found.known) == (STORED.source, True)


def test_a_file_that_does_not_hold_its_weights_says_so() -> None:
    unknown = replace(FILE, stored_weights=StoredWeights(source="unknown: none", known=False))
    found = weights_of(unknown, Parallel(pp=2))
    assert (found.bytes_per_rank, found.known) == ((0, 0), False)
    assert found.source == "unknown: none"
