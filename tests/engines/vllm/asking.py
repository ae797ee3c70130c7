"""Questions to the vLLM engine, as the tests of this folder ask them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import describe
from ferrum_cli.engines import Answer, Machine, Question, Setting, Settings, Weights, engine
from ferrum_cli.engines.vllm.options import OPTIONS
from ferrum_cli.engines.vllm.start import Start, start
from ferrum_cli.expand import Parallel, expand
from ferrum_cli.report import Finding

GIB = 2**30
DATA = Path(__file__).parents[2] / "data"
POOL: dict[str, Any] = {"kv_cache_memory_bytes": [40 * GIB], "max_num_seqs": 64}
"""The pool that most recorded cases were computed with, and requests that it holds."""
HOPPER = Machine(name="a Hopper", compute_capability=(9, 0))
AMPERE = Machine(name="an Ampere", compute_capability=(8, 0))

QWEN3_NEXT = "Qwen__Qwen3-Next-80B-A3B-Instruct"
QWEN35_27B = "Qwen__Qwen3.5-27B"
NEMOTRON3_NANO = "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"
GRANITE = "ibm-granite__granite-4.0-h-1b"
KIMI_LINEAR = "moonshotai__Kimi-Linear-48B-A3B-Instruct"
KIMI_K3 = "moonshotai__Kimi-K3"
CODESTRAL = "mistralai__Mamba-Codestral-7B-v0.1"
FALCON_MAMBA = "tiiuae__falcon-mamba-7b"
JAMBA = "ai21labs__AI21-Jamba-1.5-Mini"
LFM2 = "LiquidAI__LFM2-2.6B"
OLMO_HYBRID = "allenai__Olmo-Hybrid-7B"
LLAMA = "meta-llama__Meta-Llama-3.1-8B"


@cache
def description(name: str) -> Description:
    """The published model of that name."""
    text = (DATA / "configs" / f"{name}.json").read_text(encoding="utf-8")
    return describe(json.loads(text), name)


def question(
    model: Description | str, options: dict[str, Any] | None = None, **changes: Any
) -> Question:
    """A question; names in capitals are environment variables, all others flags."""
    described = description(model) if isinstance(model, str) else model
    given = {
        name: Setting(value, "environment" if name.isupper() else "flag")
        for name, value in (options or {}).items()
    }
    fields: dict[str, Any] = {
        "model": expand(described),
        "parallel": Parallel(),
        "settings": Settings(OPTIONS, given),
        "version": "0.33.0",
        "requests": 1,
        "context": described.max_context,
        "context_given": False,
        "requests_given": False,
        "machine": Machine(),
    }
    for name in ("context", "requests"):
        if name in changes:
            changes |= {f"{name}_given": True}
    fields |= changes
    fields.setdefault("weights", Weights((0,) * fields["parallel"].pp, "none"))
    return Question(**fields)


def answered(
    model: Description | str, options: dict[str, Any] | None = None, **changes: Any
) -> Answer:
    """vLLM's answer to a question."""
    return engine("vllm").answer(question(model, options, **changes))


def started(
    model: Description | str, options: dict[str, Any] | None = None, **changes: Any
) -> Start:
    """The start behind an answer."""
    return start(question(model, options, **changes))


def finding(answer: Answer, code: str) -> Finding | None:
    """The finding of that code."""
    return next((found for found in answer.findings if found.code == code), None)


def codes(answer: Answer) -> set[str]:
    """The codes of all findings."""
    return {found.code for found in answer.findings}


def lines(answer: Answer) -> dict[str, str]:
    """The log lines by key."""
    return {line.key: line.text for line in answer.log_lines}
