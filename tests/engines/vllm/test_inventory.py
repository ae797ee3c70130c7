"""What a model keeps, counted for each pipeline rank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.vllm.inventory import partition, take
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import Parallel, expand
from tests.engines.vllm.asking import (
    CODESTRAL,
    HOPPER,
    LLAMA,
    POOL,
    QWEN3_NEXT,
    answered,
    description,
)


@pytest.mark.parametrize(
    ("layers", "ranks", "each"),
    [
        (48, 1, [48]),
        (48, 4, [12, 12, 12, 12]),
        # distributed/utils.py, get_pp_indices: the last rank, and at first the first, has no more.
        (49, 4, [12, 12, 13, 12]),
        (50, 4, [12, 13, 13, 12]),
        (51, 4, [13, 13, 13, 12]),
        (3, 2, [2, 1]),
    ],
)
def test_layers_go_to_ranks_as_vllm_divides_them(layers: int, ranks: int, each: list[int]) -> None:
    assert [len(stage) for stage in partition(layers, ranks)] == each


@given(st.integers(1, 200), st.integers(1, 16))
def test_every_layer_has_one_rank(layers: int, ranks: int) -> None:
    stages = partition(layers, ranks)
    assert [index for stage in stages for index in stage] == list(range(layers))
    assert max(map(len, stages)) - min(map(len, stages)) <= 1


def test_a_partition_that_was_given_is_taken() -> None:
    options = POOL | {"VLLM_PP_LAYER_PARTITION": [20, 28]}
    layout = answered(QWEN3_NEXT, options, parallel=Parallel(1, 2), machine=HOPPER).layout
    page = layout["state_page_bytes_per_layer"]
    assert layout["pool_bytes_per_block_per_rank"] == [5 * page, 7 * page]


@pytest.mark.parametrize("given_layers", [[20, 20], [48], [24, 24, 0]])
def test_a_partition_that_does_not_fit_the_model_is_an_error(given_layers: list[int]) -> None:
    options = POOL | {"VLLM_PP_LAYER_PARTITION": given_layers}
    with pytest.raises(UsageError) as error:
        answered(QWEN3_NEXT, options, parallel=Parallel(1, 2), machine=HOPPER)
    assert "48 layers" in (error.value.message + (error.value.hint or ""))


@pytest.mark.parametrize(
    ("model", "kind"), [(QWEN3_NEXT, "hybrid"), (CODESTRAL, "attention_free"), (LLAMA, "decoder")]
)
def test_what_vllm_calls_a_model(model: str, kind: str) -> None:
    expanded = expand(description(model))
    stages = partition(len(expanded.layers), 1)
    assert take(expanded, stages, with_draft=False).model_type == kind


def test_drafts_count_only_with_speculation_and_on_the_last_rank() -> None:
    expanded = expand(description("Qwen__Qwen3.5-27B"))
    stages = partition(len(expanded.layers), 2)
    without = take(expanded, stages, with_draft=False)
    drafting = take(expanded, stages, with_draft=True)
    assert not any(counted.draft for counted in without.counted)
    assert [counted.layers for counted in drafting.counted if counted.draft] == [(0, 1)]
