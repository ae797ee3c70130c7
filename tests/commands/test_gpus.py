"""`ferrum gpus` as a user runs it."""

from __future__ import annotations

import json

from ferrum_cli.hardware import accelerator_names
from tests.running import ferrum


def test_every_accelerator_is_listed_by_the_name_that_plan_takes() -> None:
    listed = json.loads(ferrum("gpus", "--format", "json").stdout)
    assert [one["name"] for one in listed] == list(accelerator_names())
    for one in listed:
        planned = ferrum("plan", "qwen3-8b", "--gpu", one["name"], "--quiet")
        assert planned.exit_code == (0 if one["memory_bytes"] else 2), one["name"]


def test_the_table_shows_memory_and_capability() -> None:
    text = ferrum("gpus").stdout
    assert "accelerators are known" in text
    assert "9.0" in text


def test_a_gpu_by_name_is_its_memory_by_number() -> None:
    h100 = json.loads(ferrum("plan", "qwen3-8b", "--gpu", "h100", "--format", "json").stdout)
    memory = h100["capacity"]["memory_bytes"]
    by_number = ferrum("plan", "qwen3-8b", "--memory", str(memory), "--format", "json").stdout
    assert json.loads(by_number)["capacity"] == h100["capacity"]


def test_memory_beats_the_gpus_own() -> None:
    args = ("plan", "qwen3-8b", "--gpu", "h100", "--memory", "40GiB", "--format", "json")
    assert json.loads(ferrum(*args).stdout)["capacity"]["memory_bytes"] == 40 * 2**30


def test_an_unknown_gpu_is_refused_by_name() -> None:
    outcome = ferrum("plan", "qwen3-8b", "--gpu", "h1000")
    assert outcome.exit_code == 2
    assert "--gpu: unknown accelerator 'h1000'" in outcome.stderr
