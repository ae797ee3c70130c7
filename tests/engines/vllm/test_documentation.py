"""The tables of docs/engines/vllm.md are what the commands above them print."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.running import ferrum

PAGE = (Path(__file__).parents[3] / "docs" / "engines" / "vllm.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```\n(.*?)```\n\n((?:\|[^\n]*\n)*)", PAGE, flags=re.DOTALL)
RECORDED = [(commands, table) for commands, table in BLOCKS if "--format json" in commands]
NAMED = [commands for commands, _ in BLOCKS if "ferrum plan" in commands]


def plans(commands: str) -> list[dict[str, Any]]:
    """Every plan of every command in a block; what `jq` makes of them is left out."""
    found: list[dict[str, Any]] = []
    for command in re.split(r"^ferrum ", commands, flags=re.MULTILINE)[1:]:
        words = shlex.split(command.replace("\\\n", " ").split("|")[0])
        result = ferrum(*words)
        assert result.exit_code == 0, result.output
        found += json.loads(result.stdout)
    return found


def rows(table: str) -> list[list[str]]:
    """The cells of a table below its heading."""
    lines = table.strip().split("\n")[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def in_the_log(plan: dict[str, Any]) -> str:
    lines = plan["engine"]["log_lines"]
    text = next(line["text"] for line in lines if line["key"] == "kv_cache_size")
    return str(text).rsplit(" ", 1)[1].removesuffix("x")


def by_mode(found: list[dict[str, Any]]) -> list[list[str]]:
    """A row for every plan."""
    return [
        [
            plan["model"]["name"],
            layout["mamba_cache_mode"],
            f"{layout['state_bytes_per_layer']} → {layout['state_page_bytes_per_layer']}",
            str(layout["block_size"]),
            str(layout["pool_bytes_per_block_per_rank"][0]),
            str(layout["blocks_per_max_len_request"]),
            str(layout["num_gpu_blocks"]),
            f"{in_the_log(plan)}x",
        ]
        for plan in found
        for layout in [plan["engine"]["layout"]]
    ]


def by_version(found: list[dict[str, Any]]) -> list[list[str]]:
    """A row for every two plans that differ in nothing but the version."""
    pairs: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for plan in found:
        options = plan["engine"]["options"]
        names = ("tensor_parallel_size", "kv_cache_dtype")
        key = (plan["model"]["name"], *(str(options[name]["value"]) for name in names))
        pairs.setdefault(key, []).append(plan)
    keys = ("block_size", "state_page_bytes_per_layer")
    keys += ("blocks_per_max_len_request", "num_gpu_blocks")
    return [
        [
            *key,
            *(" → ".join(str(plan["engine"]["layout"][name]) for plan in pair) for name in keys),
            " → ".join(map(in_the_log, pair)) + "x",
        ]
        for key, pair in pairs.items()
    ]


@pytest.mark.parametrize(("commands", "table"), RECORDED, ids=["hybrids", "others", "versions"])
def test_a_command_prints_the_table_below_it(commands: str, table: str) -> None:
    found, documented = plans(commands), rows(table)
    computed = by_version(found) if "--engine-version 0.32.0,0.33.0" in commands else by_mode(found)
    if len(documented) == len(computed):
        assert documented == computed
    assert all(row in computed for row in documented)
    assert documented


def test_the_commands_that_begin_the_page_run() -> None:
    for line in NAMED[0].strip().split("\n"):
        assert ferrum(*shlex.split(line)[1:]).exit_code == 0
