"""Figures that people published, and the command lines that give them here.

What a source left out was inferred as `derived` says; what could not be had stands in `left_out`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.running import ferrum

DATA: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "public_cases.json").read_text(encoding="utf-8")
)


def commands(engine: str) -> dict[str, dict[str, Any]]:
    """Every command of an engine's cases, by the case's id and a number."""
    return {
        f"{case['id']}-{number}": command
        for case in DATA["cases"]
        if case["engine"] == engine
        for number, command in enumerate(case["commands"])
    }


def agrees(command: dict[str, Any]) -> None:
    """The command, run as a user runs it, gives every figure that was published."""
    outcome = ferrum("plan", *command["words"], "--format", "json")
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    engine = found["engine"]
    for path, value in command.get("layout", {}).items():
        assert at(engine["layout"], path) == value, path
    for path, value in command.get("figures", {}).items():
        assert at(found, path) == value, path
    said = "\n".join(line["text"] for line in engine["log_lines"])
    for text in command.get("log", ()):
        assert text in said
    assert not {line["key"] for line in engine["log_lines"]} & set(command.get("no_log", ()))
    refusals = [one["message"] for one in found["findings"] if one["level"] == "error"]
    assert bool(refusals) == ("refusal" in command), refusals
    assert command.get("refusal", "") in " ".join(refusals)


def at(found: Any, path: str) -> Any:
    """The value at a path such as `kv_cache_groups.0.layers`."""
    for part in path.split("."):
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found
