"""What vLLM's command line takes and rejects, by version."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines.vllm.launch import launch, spelled
from ferrum_cli.engines.vllm.options import OPTIONS
from ferrum_cli.errors import ShardingError, UsageError
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    HOPPER,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    codes,
    finding,
    question,
)


@pytest.mark.parametrize(
    ("version", "options", "words"),
    [
        ("0.20.2", {"use_replayssm": True}, "0.20.2 does not know --use-replayssm"),
        ("0.13.0", {"mamba_cache_mode": "align"}, "0.13.0 does not know --mamba-cache-mode"),
        ("0.33.0", {"swap_space": 4}, "0.33.0 does not know --swap-space"),
        ("0.32.0", {"mamba_cache_mode": "all"}, "invalid choice: 'all'"),
    ],
)
def test_what_a_version_does_not_take_is_an_error(
    version: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError, match=words) as error:
        launch(question(QWEN3_NEXT, options, version=version))
    assert error.value.hint


def test_a_flag_that_appeared_at_about_this_version_is_taken_with_a_warning() -> None:
    answer = answered(QWEN3_NEXT, POOL | {"max_num_active_seqs": 8}, version="0.30.1")
    found = finding(answer, "option-doubtful")
    assert found is not None
    assert found.message.startswith("--max-num-active-seqs")


def test_a_variable_that_a_version_does_not_read_is_ignored_with_a_warning() -> None:
    variable = {"VLLM_USE_V2_MODEL_RUNNER": False}
    assert finding(answered(QWEN3_NEXT, variable, version="0.11.2"), "variable-ignored")
    assert "variable-ignored" not in codes(answered(QWEN3_NEXT, variable, version="0.33.0"))


def test_ranks_given_by_vllms_own_flags_beat_ferrums() -> None:
    options = POOL | {"tensor_parallel_size": 4, "pipeline_parallel_size": 2}
    asked = question(QWEN3_NEXT, options, parallel=Parallel(2, 1, 3))
    assert launch(asked).parallel == Parallel(4, 2, 3)
    answer = answered(QWEN3_NEXT, options, parallel=Parallel(2, 1, 3), machine=HOPPER)
    contradiction = finding(answer, "ranks-contradict")
    assert contradiction is not None
    assert "--tp 2" in contradiction.message
    assert len(answer.layout["pool_bytes_per_block_per_rank"]) == 2


def test_the_same_ranks_twice_are_no_contradiction() -> None:
    options = POOL | {"tensor_parallel_size": 2}
    answer = answered(QWEN3_NEXT, options, parallel=Parallel(2), machine=HOPPER)
    assert "ranks-contradict" not in codes(answer)


def test_more_stages_than_layers_are_no_split_at_all() -> None:
    with pytest.raises(ShardingError):
        launch(question(QWEN3_NEXT, {"pipeline_parallel_size": 49}))


def test_a_context_above_max_model_len_is_a_contradiction() -> None:
    options = POOL | {"max_model_len": 8192}
    above = answered(QWEN35_27B, options, context=32768, machine=HOPPER)
    assert finding(above, "context-above-max-model-len")
    assert above.capacity.context == 8192
    below = answered(QWEN35_27B, options, context=4096, machine=HOPPER)
    assert "context-above-max-model-len" not in codes(below)
    assert below.capacity.context == 4096
    assert below.options["max_model_len"].value == 8192


@pytest.mark.parametrize(
    ("name", "written"),
    [("max_num_seqs", "--max-num-seqs"), ("VLLM_KV_CACHE_LAYOUT", "VLLM_KV_CACHE_LAYOUT")],
)
def test_options_are_spelled_as_users_write_them(name: str, written: str) -> None:
    option = next(option for option in OPTIONS if option.name == name)
    assert spelled(option) == written
