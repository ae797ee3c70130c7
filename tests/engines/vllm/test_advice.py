"""Flags worth setting, and what would let the requests asked about run."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import Answer, Machine, Weights
from ferrum_cli.engines._options import parse_assignment
from ferrum_cli.engines.vllm.options import OPTIONS
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    GIB,
    HOPPER,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    codes,
    finding,
)

H100 = Machine(80 * GIB, "H100", (9, 0), 4 * GIB)


def test_ranks_and_context_are_said_by_vllms_names() -> None:
    answer = answered(QWEN3_NEXT, POOL, context=32768, parallel=Parallel(2, 2, 3), machine=HOPPER)
    assert answer.flags[:4] == (
        "--tensor-parallel-size 2",
        "--pipeline-parallel-size 2",
        "--data-parallel-size 3",
        "--max-model-len 32768",
    )


def test_what_was_set_already_is_not_said_again() -> None:
    options = POOL | {"tensor_parallel_size": 2, "max_model_len": 4096}
    assert answered(QWEN3_NEXT, options, context=4096, machine=HOPPER).flags == ()


@pytest.mark.parametrize(
    ("options", "requests", "flag"),
    [
        ({"max_num_seqs": 1024}, 1, "--max-num-seqs 787"),
        ({"max_num_seqs": 4}, 10, "--max-num-seqs 10"),
        ({"max_num_seqs": 64}, 10, None),
        ({"max_num_seqs": 787}, 10, None),
    ],
)
def test_max_num_seqs_is_said_where_another_value_is_needed(
    options: dict[str, Any], requests: int, flag: str | None
) -> None:
    sized = POOL | {"max_model_len": 32768} | options
    answer = answered(QWEN35_27B, sized, requests=requests, machine=HOPPER)
    found = [one for one in answer.flags if one.startswith("--max-num-seqs")]
    assert found == ([] if flag is None else [flag])


def with_flags(model: str, flags: tuple[str, ...], **changes: Any) -> Answer:
    """The same question with flags as they are written."""
    options = {}
    for flag in flags:
        name, _, value = flag.removeprefix("--").partition(" ")
        if name.startswith("no-"):
            name, value = name.removeprefix("no-"), "false"
        option, values = parse_assignment(OPTIONS, f"{name}={value or 'true'}")
        options[option.name] = values[0]
    return answered(model, options, **changes)


@pytest.mark.parametrize(
    ("model", "weights", "context", "requests"),
    [
        (NEMOTRON3_NANO, 33, 8192, 200),
        (QWEN35_27B, 28, 16384, 30),
        (QWEN35_27B, 28, 4096, 1100),
        (LLAMA, 16, 8192, 60),
    ],
)
def test_the_flags_said_reach_what_is_said(
    model: str, weights: int, context: int, requests: int
) -> None:
    changes: dict[str, Any] = {
        "machine": H100,
        "weights": Weights((weights * GIB,), "measured"),
        "context": context,
        "requests": requests,
    }
    answer = answered(model, {}, **changes)
    tried = with_flags(model, answer.flags, **changes)
    assert tried.refusal is None
    reaching = finding(answer, "advice")
    if reaching is None and "advice-nearest" not in codes(answer):
        assert (tried.capacity.max_requests or 0) >= requests


def test_changes_that_are_enough_are_said_with_what_they_reach() -> None:
    changes: dict[str, Any] = {
        "machine": H100,
        "weights": Weights((33 * GIB,), "measured"),
        "context": 8192,
        "requests": 450,
    }
    answer = answered(NEMOTRON3_NANO, {}, **changes)
    assert (answer.capacity.max_requests or 0) < 450
    found = finding(answer, "advice")
    assert found is not None
    assert "--mamba-ssm-cache-dtype bfloat16" in found.message
    assert found.hint is not None
    assert found.hint in " ".join(answer.flags)
    halved = answered(NEMOTRON3_NANO, {"mamba_ssm_cache_dtype": "bfloat16"}, **changes)
    assert (halved.capacity.max_requests or 0) >= 450


def test_where_no_change_is_enough_the_nearest_is_said() -> None:
    changes: dict[str, Any] = {
        "machine": Machine(24 * GIB, "RTX 4090", (8, 9)),
        "weights": Weights((18 * GIB,), "measured"),
        "context": 200,
        "requests": 100_000,
    }
    answer = answered(LLAMA, {}, **changes)
    assert finding(answer, "advice-nearest") is not None
    assert finding(answer, "advice") is None


def test_nothing_is_advised_to_someone_who_asked_for_nothing() -> None:
    answer = answered(QWEN35_27B, POOL | {"max_model_len": 262144}, machine=HOPPER)
    assert not {"advice", "advice-nearest"} & codes(answer)
