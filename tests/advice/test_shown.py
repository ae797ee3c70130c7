"""Advice as a user reads it: one table, one line to copy, one sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.advice.asking import planned
from tests.running import ferrum

MISSED = (
    "qwen3.5-27b",
    "--engine",
    "vllm",
    "--gpu",
    "h100",
    "--requests",
    "28",
    "--context",
    "16k",
)
PASTED = (
    "CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3.5-27B --port 8000 --max-model-len 16384"
    " --max-num-seqs=256 --served-model-name 'my model'"
)


def findings(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["code"]: finding for finding in plan["findings"]}


def test_the_table_says_what_each_change_costs_and_buys() -> None:
    text = ferrum("plan", *MISSED).stdout
    assert "What would reach it: 28 requests of 16k tokens, where 0 run now" in text
    for words in ("--kv-cache-dtype fp8", "keys and values in 8 bits", "more requests", "GiB"):
        assert words in text


def test_the_line_to_copy_is_printed_whole_and_once() -> None:
    command = planned(*MISSED)["engine"]["advice"]["command"]
    lines = ferrum("plan", *MISSED).stdout.splitlines()
    assert len(command) > 80
    assert lines.count(command) == 1


def test_the_flags_to_add_stand_in_the_json_one_by_one() -> None:
    engine = planned(*MISSED)["engine"]
    assert engine["flags"][0] == "--max-model-len 16384"
    assert "--kv-cache-dtype fp8" in engine["flags"]
    assert engine["advice"]["command"].endswith(" ".join(engine["flags"]))


def test_each_try_of_the_json_says_what_it_buys() -> None:
    tried = planned(*MISSED)["engine"]["advice"]["tried"]
    assert tried[0]["price"] == "nothing"
    assert sum(one["chosen"] for one in tried) == 1
    for one in tried:
        assert set(one) == {
            *("change", "options", "devices", "price", "requests", "requests_bought"),
            *("tokens_bought", "bytes_bought", "reaches", "chosen"),
        }
        assert one["requests"] >= 0
    fp8 = next(one for one in tried if one["options"].get("kv_cache_dtype") == "fp8")
    sized = tried[0]
    assert fp8["requests_bought"] == fp8["requests"] - sized["requests"] > 0
    assert fp8["bytes_bought"] > 0


def test_a_pasted_line_comes_back_changed_with_all_else_in_it() -> None:
    outcome = ferrum(
        *("plan", "--serve", PASTED, "--gpu", "h100", "--requests", "28", "--format", "json")
    )
    command = json.loads(outcome.stdout)["engine"]["advice"]["command"]
    assert command.startswith(
        "CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3.5-27B --port 8000 --max-model-len 16384"
    )
    assert "--served-model-name 'my model'" in command
    assert "--kv-cache-dtype fp8" in command


def test_no_change_at_all_is_said_with_what_would_run_instead() -> None:
    plan = planned(*MISSED[:4], "l40s", *MISSED[5:])
    advice = findings(plan)["advice-devices"]
    assert advice["level"] == "warning"
    assert "no change lets 28 requests of 16k tokens run here, but with" in advice["message"]
    assert advice["hint"] == plan["engine"]["advice"]["command"]


def test_where_nothing_runs_at_all_it_is_said() -> None:
    words = ("kimi-k3", "--gpu", "rtx4090", "--requests", "2", "--context", "8k")
    plan = planned(*words, engine="vllm")
    assert "not one request runs" in findings(plan)["advice-nothing"]["message"]
    assert plan["engine"]["advice"]["command"] is None


@pytest.mark.parametrize("engine", ["vllm", "sglang", "llama.cpp"])
def test_a_context_alone_is_a_target_of_one_request(engine: str) -> None:
    fits = planned("qwen3-8b", "--gpu", "h100", "--context", "16k", engine=engine)
    assert fits["engine"]["advice"] is None
    missed = planned("qwen3.5-27b", "--gpu", "rtx4090", "--context", "16k", engine=engine)
    assert missed["engine"]["advice"] is not None


def test_several_plans_side_by_side_say_their_advice_by_name() -> None:
    text = ferrum("plan", *MISSED[:4], "l40s", *MISSED[5:], "--set", "max_num_seqs=8,16").stdout
    assert text.count("advice-devices") == 1
