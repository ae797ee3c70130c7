"""What can be set, how it is read, and what a plan shows of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engines.transformers.asking import asked
from tests.models import described
from tests.running import ferrum

MODEL = ("plan", "qwen3-next-80b-a3b", "--engine", "transformers", "--format", "json")


def planned(*arguments: str) -> Any:
    result = ferrum(*MODEL, *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_every_option_is_shown_with_its_value_and_source() -> None:
    options = planned("--set", "batch_size=4", "--context", "32k")["engine"]["options"]
    assert options == {
        "batch_size": {"value": 4, "source": "flag"},
        "seq_len": {"value": 32768, "source": "flag"},
        "dtype": {"value": "bfloat16", "source": "config"},
        "cache_implementation": {"value": "dynamic", "source": "default"},
        "max_cache_len": {"value": None, "source": "default"},
    }


def test_the_models_own_limit_is_the_length_where_nothing_is_said() -> None:
    options = planned()["engine"]["options"]
    assert options["seq_len"] == {"value": 262_144, "source": "config"}


def test_a_set_length_beats_the_general_one() -> None:
    plan = planned("--context", "32k", "--set", "seq_len=8k")
    assert plan["capacity"]["context"] == 8192
    assert "context-contradicted" in [finding["code"] for finding in plan["findings"]]


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("dtype=fp8", "choose from auto, float32, bfloat16, float16"),
        ("cache_implementation=paged", "choose from dynamic, static, quantized"),
        ("batch_size=0", "batch_size is at least 1"),
        ("seq_len=0", "seq_len is at least 1"),
        ("batch=4", "batch_size"),
    ],
)
def test_what_transformers_does_not_take_is_a_usage_error(assignment: str, words: str) -> None:
    result = ferrum(*MODEL, "--set", assignment)
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_dtype_of_the_weights_is_the_dtype_of_keys_and_values(dtype: str) -> None:
    bits = asked(described(), dtype=dtype, seq_len=10).layout["kv_bytes"] // (2 * 10 * 64)
    assert bits == (4 if dtype == "float32" else 2)
