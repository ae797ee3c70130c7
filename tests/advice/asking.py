"""Targets that starts miss, asked and asked again through the command line."""

from __future__ import annotations

import json
from typing import Any

from tests.running import ferrum

ENGINES = ("vllm", "sglang", "llama.cpp")
MODELS = (
    *("qwen3.5-27b", "qwen3-next-80b-a3b", "nemotron-3-nano-30b-a3b", "qwen3-8b"),
    *("falcon-h1-34b", "kimi-linear-48b-a3b", "lfm2-2.6b", "ling-3.0-tiny"),
    *("qwen3.5-9b", "qwen3.5-35b-a3b"),
)
MACHINES = ("rtx4090", "l40s", "a100", "h100", "h200", "b200")
CONTEXT = 16_384


def planned(*words: str, engine: str | None = None) -> dict[str, Any]:
    """The plan of a command line as JSON."""
    named = ("--engine", engine) if engine is not None else ()
    outcome = ferrum("plan", *words, *named, "--format", "json")
    assert outcome.exit_code == 0, outcome.output
    found: dict[str, Any] = json.loads(outcome.stdout)
    return found


def runs(plan: dict[str, Any]) -> int:
    """Requests that run; none where the engine does not start."""
    refused = plan["verdict"] == "refused"
    return 0 if refused else plan["capacity"]["max_requests"] or 0


def missed_target(model: str, engine: str, machine: str) -> tuple[str, ...]:
    """The words of a target of more than twice the requests that run."""
    words = (model, "--gpu", machine, "--context", str(CONTEXT))
    now = runs(planned(*words, engine=engine))
    return (*words, "--requests", str(min(2 * now + 1, 256) if now < 256 else 2 * now))
