"""Tensors read out of transformers 5.24.0's own caches, held against the engine's answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.blocks import kinds
from ferrum_cli.describe.huggingface import describe
from tests.engines.transformers.asking import asked

DATA = json.loads(
    (Path(__file__).parents[2] / "data" / "engines" / "transformers.json").read_text("utf-8")
)
ROWS: list[dict[str, Any]] = DATA["rows"]
OPTIONS = ("batch_size", "seq_len", "dtype", "cache_implementation", "max_cache_len")
NOT_IN_TRANSFORMERS = {"jet", "plamo_mamba", "rwkv6", "rwkv7", "custom"}


def tensors_by_shape(tensors: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[int]]:
    """Layers by the name, shape and dtype of what they hold."""
    gathered: dict[tuple[Any, ...], list[int]] = {}
    for tensor in tensors:
        key = (tensor["name"], tuple(tensor["shape"]), tensor["dtype"])
        gathered.setdefault(key, []).append(tensor["layer_index"])
    return gathered


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["id"]))
def test_every_measured_cache_is_computed_to_the_byte(row: dict[str, Any]) -> None:
    answer = asked(DATA["configs"][row["config"]], **{n: row[n] for n in OPTIONS if n in row})
    layout = answer.layout
    wanted = {(t["name"], tuple(t["shape"]), t["dtype"]): t["layers"] for t in row["tensors"]}
    assert answer.refusal is None
    assert tensors_by_shape(layout["state_tensors"]) == wanted
    assert sum(tensor["bytes"] for tensor in layout["state_tensors"]) == row["state_bytes"]
    assert layout["state_bytes"] == row["state_bytes"]
    assert layout["kv_bytes"] == row["kv_bytes"]
    if "num_parameters" in row:
        assert layout["num_parameters"] == row["num_parameters"]


def test_every_kind_of_state_that_transformers_has_is_among_the_rows() -> None:
    measured: set[str] = set()
    for row in ROWS:
        description = describe(DATA["configs"][row["config"]], "model")
        measured |= {block.kind for block in description.blocks.values()}
    assert measured >= set(kinds()) - NOT_IN_TRANSFORMERS


def test_both_caches_and_all_three_dtypes_are_among_the_rows() -> None:
    assert {row.get("cache_implementation", "dynamic") for row in ROWS} == {"dynamic", "static"}
    assert {row["dtype"] for row in ROWS} == {"bfloat16", "float16", "float32"}
    assert len(ROWS) >= 40
