"""The JSON of a plan is the surface that scripts rely on."""

from __future__ import annotations

import json
from collections.abc import Callable

from ferrum_cli.engines import Machine, engine
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.document import document
from tests.models import described, qwen3_next

KEYS = {
    "": ["schema", "model", "parallel", "state", "kv", "weights", "engine", "capacity"],
    "model": ["name", "source", "architecture", "num_layers", "parameters"],
    "parallel": ["tp", "pp", "dp"],
    "state": ["tensors", "bytes_per_slot", "dtype_source"],
    "kv": ["bytes_per_token", "window_bytes", "bytes_at_context"],
    "weights": ["bytes", "source"],
    "engine": ["name", "version", "options", "layout", "log_lines", "flags"],
    "capacity": [
        *("memory_bytes", "available_bytes", "max_requests", "low", "high"),
        *("limited_by", "context"),
    ],
}


def test_every_key_of_the_surface_is_there_and_the_schema_comes_first() -> None:
    made = document(plan(qwen3_next(), engine("native"), Wanted()))
    assert next(iter(made)) == "schema"
    for section, keys in KEYS.items():
        part = made[section] if section else made
        assert set(keys) <= set(part), section
    assert made["verdict"] == "unknown"
    assert made["findings"] == []


def test_a_small_plan_as_json_is_as_recorded(golden: Callable[[str, str], None]) -> None:
    wanted = Wanted(machine=Machine(memory_bytes=2**30), requests=3, budget_bytes=2**20)
    made = document(plan(described(), engine("native"), wanted))
    golden("plan/small.json", json.dumps(made, indent=2) + "\n")


def test_figures_of_qwen3_next_are_the_recorded_ones() -> None:
    made = document(plan(qwen3_next(), engine("native"), Wanted(context=131_072)))
    assert made["state"]["bytes_per_slot"] == 77_266_944
    assert sum(t["bytes"] for t in made["state"]["tensors"]) == 77_266_944
    assert made["kv"] == {
        "bytes_per_token": 24_576,
        "window_bytes": 0,
        "bytes_at_context": 3 * 2**30,
    }
    assert made["model"]["parameters"]["total"] == 79_674_391_296
    assert made["weights"]["bytes"] == 2 * 79_674_391_296
